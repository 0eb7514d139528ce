import type { IncomingHttpHeaders } from 'node:http';
import type { Express, Request, RequestHandler, Response } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import { refuse } from '../base/problems/problem.js';
import { hasAuthentication } from '../config/config-rules.js';
import type { Config, GatewayConfig } from '../config/config-types.js';
import { isLoopback } from '../config/is-loopback.js';
import { libraryVisibleTo, type ReadGuards } from '../service/access.js';
import { type Apis, apiBase } from '../service/apis-interface.js';
import type { Channels } from '../service/channel-interface.js';
import type { Automation } from '../service/job-automation.js';
import type { Library } from '../service/library-interface.js';
import type { Pipelines } from '../service/pipelines-interface.js';
import { Starts } from '../service/prepare-start-with-ajv.js';
import type { Runs, SetCookies } from '../service/runs-interface.js';
import type { Schedules } from '../service/schedules-interface.js';
import { parseTraceContext, type Tracer } from '../service/tracer-interface.js';
import { problemHandler } from './answer-problem.js';
import { authenticator, authorise, permit, unauthenticated } from './auth/authenticate.js';
import { type ClientCertificate, clientCertificates } from './auth/read-and-verify-certificates.js';
import type { Metrics } from './metrics-interface.js';
import { readBody } from './request-body.js';
import { addressOf, factsOf, requestId } from './request-facts.js';
import { type Guard, mount, type Route } from './route.js';
import { apiRouter, refuseUnknown } from './routes/apis.js';
import { attentionRoutes } from './routes/attention.js';
import { bulkRunRoutes } from './routes/bulk-runs.js';
import { channelRoutes } from './routes/channels.js';
import { type Codec, codecAccess, codecRoutes } from './routes/codec-server.js';
import { consoleRouter } from './routes/console.js';
import { hookRoutes } from './routes/correlated-step-hooks.js';
import { definitionRoutes } from './routes/definitions.js';
import { probeRoutes } from './routes/health-and-metrics.js';
import { intentRoutes, jobRoutes } from './routes/jobs.js';
import { journeyRoutes } from './routes/journeys-and-runs.js';
import { openStepRoutes } from './routes/open-steps.js';
import { type Descriptions, documentRoutes } from './routes/openapi-documents.js';
import { pipelineRoutes } from './routes/pipelines.js';
import { runRoutes } from './routes/rerun-and-migrate-runs.js';
import { runCountRoutes } from './routes/run-counts-and-statistics.js';
import { scheduleRoutes } from './routes/schedules.js';
import { trailRoutes } from './routes/trail.js';
import { RunResponses } from './run-responses.js';

/** Dependencies of a gateway. */
export interface GatewayOptions {
  readonly config: Pick<Config, 'gateway' | 'platform' | 'pipelines'> & {
    readonly limits: Pick<Config['limits'], 'metadata' | 'expression'>;
  };
  readonly journeys: Library;
  readonly runs: Runs;
  readonly schedules: Schedules;
  readonly pipelines: Pipelines;
  readonly apis: Apis;
  readonly guards: ReadGuards;
  readonly automation: Automation;
  /** Selects the cookies of a run that are returned to its caller. */
  readonly setCookies?: SetCookies;
  readonly channels: Channels;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The gateway's own OpenAPI document. */
  readonly openApi: Descriptions['openApi'];
  /** Records a span for each request, if tracing is on. */
  readonly tracer?: Tracer;
  /** Decrypts payloads for Temporal's tools, if encryption is on. */
  readonly codec?: Codec;
  /** The page of the namespace in Temporal's Web UI, to which the console links. */
  readonly temporalUi?: string;
  /** Rejects with the reason while requests cannot be served. */
  ready(): Promise<void>;
  /** Ends requests that wait for changes when the gateway stops. */
  readonly stopping?: AbortSignal;
}

/** Creates the HTTP gateway as an express app. Throws AUTH_REQUIRED if it would be open to other machines without authentication. */
export function createGateway(options: GatewayOptions): Express {
  const { config, log, metrics } = options;
  const { gateway } = config;
  if (!hasAuthentication(gateway.auth) && !isLoopback(gateway.host)) {
    refuse('AUTH_REQUIRED', `gateway.host ${gateway.host} is reachable from other machines.`, {
      pointer: '/gateway/host',
      hint: 'Configure gateway.auth (apiKeys or jwt), or bind to 127.0.0.1.',
    });
  }
  const starts = new Starts(config.platform, config.limits.metadata);
  const answers = new RunResponses(gateway.publicUrl);
  const guard = admission(gateway, log);
  const body = readBody(gateway.bodyLimit);

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use(arrival(log, metrics, clientCertificates(gateway)));
  app.use(keyPaths);
  app.use(tracingMiddleware(options.tracer));
  app.use(codecAccess(options));
  app.use(consoleRouter(options, guard));
  app.use(apiRouter({ ...options, starts }, guard, body));
  mount(app, routesOf({ ...options, answers, starts }), guard, body);
  // Unknown paths are reported only to authenticated callers.
  app.use(apiBase, guard({ roles: ['client', 'operator', 'channel'] }));
  app.use((request, response) =>
    refuseUnknown(request.path, libraryVisibleTo(factsOf(response).principal.access, options.journeys)),
  );
  app.use(problemHandler(log, config.platform));
  return app;
}

/** All routes except those of Apis, which depend on the library. */
export function routesOf(parts: GatewayOptions & { readonly answers: RunResponses; readonly starts: Starts }): Route[] {
  return [
    ...probeRoutes(parts),
    ...documentRoutes(parts),
    ...journeyRoutes(parts),
    ...runRoutes(parts),
    ...hookRoutes(parts),
    ...bulkRunRoutes(parts),
    ...attentionRoutes(parts),
    ...runCountRoutes(parts),
    ...openStepRoutes(parts),
    ...definitionRoutes(parts),
    ...trailRoutes(parts),
    ...scheduleRoutes(parts),
    ...jobRoutes(parts),
    ...pipelineRoutes(parts),
    ...intentRoutes(parts),
    ...channelRoutes(parts),
    ...codecRoutes(parts),
  ];
}

const keyPath = /^(\/api\/v1\/journeys\/[^/?]+)\/by-key\/([^/?]+)/;

/** Serves every path of a run by its journey and key too: `checkout/by-key/4711` is the id `checkout/4711`, with an encoded slash. */
const keyPaths: RequestHandler = (request, _, next) => {
  request.url = request.url.replace(keyPath, '$1%2F$2');
  next();
};

/** Headers of every response. */
const always = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** Sets the request's facts and the response's headers, and logs the request. */
function arrival(log: Logger, metrics: Metrics, certificateOf: ClientCertificate): RequestHandler {
  return (request, response, next) => {
    Object.assign(response.locals, {
      id: requestId(request),
      address: addressOf(request),
      principal: unauthenticated,
      certificate: () => certificateOf(request),
    });
    response.setHeader('X-Request-Id', factsOf(response).id);
    for (const [name, value] of always) response.setHeader(name, value);
    logRequest(log, metrics, request, response);
    next();
  };
}

/** Checks host, credentials and role of a request. */
function admission(gateway: Config['gateway'], log: Logger): Guard {
  const checkHost = hostGuard(gateway);
  const { identify, keysIn } = authenticator(gateway.auth, log);
  return (route) => async (request, response, next) => {
    const facts = factsOf(response);
    checkHost(request.headers, route);
    const admitted = await route.admits?.(request);
    if (admitted) facts.principal = { ...admitted, consumed: keysIn(request.headers) };
    else if (route.roles.length > 0) {
      facts.principal = await identify(request.headers, facts.address);
      authorise(facts.principal, route.roles);
    }
    if (route.action) permit(facts.principal, route.action);
    next();
  };
}

/** Paths polled by machines, logged at debug level. */
const quiet = new Set(['/healthz', '/readyz', '/metrics']);

/** Counts a request and logs one line at its end. Body, headers and query are not logged: they may contain secrets. */
function logRequest(log: Logger, metrics: Metrics, request: Request, response: Response): void {
  const began = performance.now();
  const { method, path } = request;
  response.once('close', () => {
    const { id, address, principal, run, code } = factsOf(response);
    const status = response.statusCode;
    const ms = performance.now() - began;
    metrics.answered({ method, route: routeOf(request, response), status }, ms / 1000);
    const line = {
      requestId: id,
      method,
      path,
      status,
      ms: Math.round(ms),
      caller: principal.id,
      address,
      ...(run === undefined ? {} : { run }),
      ...(code === undefined ? {} : { code }),
      ...(response.writableFinished ? {} : { aborted: true }),
    };
    if (status >= 500) log.error(line, 'request');
    else if (quiet.has(path)) log.debug(line, 'request');
    else log.info(line, 'request');
  });
}

/** The path of the route that handled a request, with names for its parameters. */
function routeOf(request: Request, response: Response): string | undefined {
  return factsOf(response).route ?? (request.route as { path?: string } | undefined)?.path;
}

/** Reads the trace context of a request and, if tracing is on, records its span, which becomes the parent of the runs it starts. */
export function tracingMiddleware(tracer: Tracer | undefined): RequestHandler {
  return (request, response, next) => {
    const from = parseTraceContext(request.headers);
    const span = tracer?.arrived(from);
    const context = span?.context ?? from;
    if (context) factsOf(response).trace = context;
    if (span)
      response.once('close', () => {
        const { run } = factsOf(response);
        const route = routeOf(request, response);
        span.end({
          name: route === undefined ? request.method : `${request.method} ${route}`,
          attributes: {
            'http.request.method': request.method,
            ...(route !== undefined && { 'http.route': route }),
            ...(run !== undefined && { 'journey.id': run }),
          },
          status: response.statusCode,
        });
      });
    next();
  };
}

/** Rejects requests that a foreign web page sends through the user's browser. */
type HostGuard = (headers: IncomingHttpHeaders, route: Pick<Route, 'roles' | 'origins'>) => void;

/**
 * Without authentication, access from this machine is the only credential, and a foreign page can abuse a local browser: through a name that
 * resolves to loopback (seen in the Host header), a request with an origin, or one without (an image or a link, seen in the fetch metadata).
 */
function hostGuard({ auth, publicUrl, origins }: GatewayConfig): HostGuard {
  if (hasAuthentication(auth)) return () => {};
  const ours = publicUrl === undefined ? undefined : new URL(publicUrl);
  return ({ host = '', origin, 'sec-fetch-site': site }, route) => {
    const asked = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
    if (asked === '' || (asked !== ours?.hostname && !isLoopback(asked))) refuse('HOST_NOT_ALLOWED');
    if (origin !== undefined) {
      if ([...origins, ...(route.origins ?? [])].includes(origin)) return;
      if (origin !== ours?.origin && !isSamePort(origin, host)) refuseForeign();
    } else if (route.roles.length > 0 && (site === 'cross-site' || site === 'same-site')) refuseForeign();
  };
}

/** True for a page of this machine from the port that the request was sent to. */
function isSamePort(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, port } = new URL(origin);
  return isLoopback(hostname) && new URL(`${protocol}//${host}`).port === port;
}

function refuseForeign(): never {
  refuse('HOST_NOT_ALLOWED', 'A web page of another origin sent the request.', {
    hint: 'Add its origin to gateway.origins, or configure gateway.auth.',
  });
}
