import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { hasAuthentication, isLoopback } from '../config/rules.js';
import { refuse } from '../problems/problem.js';
import { knownTo } from '../service/access.js';
import { type Apis, apiBase } from '../service/apis.js';
import type { Automation } from '../service/automation.js';
import type { Channels } from '../service/channels.js';
import type { ReadGuards } from '../service/guards.js';
import type { Library } from '../service/library.js';
import type { Pipelines } from '../service/pipelines.js';
import type { Runs, SetCookies } from '../service/runs.js';
import type { Schedules } from '../service/schedules.js';
import { Starts } from '../service/start.js';
import type { Tracer } from '../service/tracing.js';
import { problemHandler } from './answer-problem.js';
import { Answers } from './answers.js';
import { apiRouter, refuseUnknown } from './api-router.js';
import { authenticator, authorise, nobody, permit } from './auth/authenticate.js';
import { hostGuard } from './auth/host-guard.js';
import { readBody } from './body.js';
import { channelRoutes } from './channel-routes.js';
import { type ClientCertificate, clientCertificates } from './client-certificate.js';
import { type Codec, codecAccess, codecRoutes } from './codec-routes.js';
import { type Descriptions, documentRoutes } from './document-routes.js';
import { intentRoutes } from './intent-routes.js';
import { jobRoutes } from './job-routes.js';
import { journeyRoutes } from './journey-routes.js';
import type { Metrics } from './metrics.js';
import { operationRoutes } from './operation-routes.js';
import { pipelineRoutes } from './pipeline-routes.js';
import { addressOf, factsOf, requestId } from './request.js';
import { logRequest } from './request-log.js';
import { type Guard, mount, type Route } from './route.js';
import { runRoutes } from './run-routes.js';
import { scheduleRoutes } from './schedule-routes.js';
import { tracing } from './tracing.js';

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly config: Pick<Config, 'gateway' | 'platform' | 'pipelines'> & {
    readonly limits: Pick<Config['limits'], 'metadata'>;
  };
  readonly journeys: Library;
  readonly runs: Runs;
  readonly schedules: Schedules;
  readonly pipelines: Pipelines;
  readonly apis: Apis;
  readonly guards: ReadGuards;
  readonly automation: Automation;
  /** What of a run's cookie jar returns to its caller. */
  readonly setCookies?: SetCookies;
  readonly channels: Channels;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The gateway's own OpenAPI document. */
  readonly openApi: Descriptions['openApi'];
  /** Records a span for each request, where there is one. */
  readonly tracer?: Tracer;
  /** Decrypts for Temporal's own tools, where payloads are encrypted. */
  readonly codec?: Codec;
  /** Resolves while requests can be served; otherwise rejects with the reason. */
  ready(): Promise<void>;
}

/** The HTTP gateway as an express app. Refuses with AUTH_REQUIRED to be open beyond this machine. */
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
  const answers = new Answers(gateway.publicUrl);
  const guard = admission(gateway, log);
  const body = readBody(gateway.bodyLimit);

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use(arrival(log, metrics, clientCertificates(gateway)));
  app.use(tracing(options.tracer));
  app.use(codecAccess(options));
  app.use(apiRouter({ ...options, starts }, guard, body));
  mount(app, routesOf({ ...options, answers, starts }), guard, body);
  // Only callers who may know what exists are told what does not.
  app.use(apiBase, guard({ roles: ['client', 'operator', 'channel'] }));
  app.use((request, response) =>
    refuseUnknown(request.path, knownTo(factsOf(response).principal.access, options.journeys)),
  );
  app.use(problemHandler(log, config.platform));
  return app;
}

/** Every route but those of Apis, which are as many as the library has. */
export function routesOf(parts: GatewayOptions & { readonly answers: Answers; readonly starts: Starts }): Route[] {
  return [
    ...operationRoutes(parts),
    ...documentRoutes(parts),
    ...journeyRoutes(parts),
    ...runRoutes(parts),
    ...scheduleRoutes(parts),
    ...jobRoutes(parts),
    ...pipelineRoutes(parts),
    ...intentRoutes(parts),
    ...channelRoutes(parts),
    ...codecRoutes(parts),
  ];
}

/** Headers of every answer. */
const always = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** Gives the request its id, the answer its headers, the log its line; and counts it. */
function arrival(log: Logger, metrics: Metrics, certificateOf: ClientCertificate): RequestHandler {
  return (request, response, next) => {
    Object.assign(response.locals, {
      id: requestId(request),
      address: addressOf(request),
      principal: nobody,
      certificate: () => certificateOf(request),
    });
    response.setHeader('X-Request-Id', factsOf(response).id);
    for (const [name, value] of always) response.setHeader(name, value);
    logRequest(log, metrics, request, response);
    next();
  };
}

/** Admits a request whose host, caller and role are right. */
function admission(gateway: Config['gateway'], log: Logger): Guard {
  const checkHost = hostGuard(gateway);
  const { identify, keysIn } = authenticator(gateway.auth, log);
  return (route) => async (request, response, next) => {
    const facts = factsOf(response);
    checkHost(request.headers);
    const admitted = await route.admits?.(request);
    if (admitted) facts.principal = { ...admitted, consumed: await keysIn(request.headers) };
    else if (route.roles.length > 0) {
      facts.principal = await identify(request.headers, facts.address);
      authorise(facts.principal, route.roles);
    }
    if (route.action) permit(facts.principal, route.action);
    next();
  };
}
