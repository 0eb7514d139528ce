import { type Request, type RequestHandler, type Response, Router } from 'express';
import { refuse } from '../../base/problems/problem.js';
import { libraryVisibleTo, matchesPattern } from '../../service/access.js';
import {
  type Apis,
  apiBase,
  apiMethod,
  apiPath,
  pathParameters,
  reservedSegment,
} from '../../service/apis-interface.js';
import { type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import type { Starts } from '../../service/prepare-start-with-ajv.js';
import { permit } from '../auth/authenticate.js';
import { objectBody } from '../request-body.js';
import { factsOf, inboundOf } from '../request-facts.js';
import { type Guard, refuseMethod } from '../route.js';
import { suggestion } from '../suggest-and-quote-names.js';

interface ApiRouteDeps {
  readonly journeys: Library;
  readonly apis: Apis;
  readonly starts: Starts;
}

/** Serves every `kind: Api` of the library; their paths are resolved per request. */
export function apiRouter({ journeys, apis, starts }: ApiRouteDeps, guard: Guard, body: RequestHandler): Router {
  const router = Router();
  router.use((request, response, next) => {
    const { path } = request;
    const theirs = path.startsWith(`${apiBase}/`) && reservedSegment(path) === undefined;
    const entry = theirs ? apiAt(path, request.method, journeys) : undefined;
    if (entry === undefined) return next('router');
    response.locals.api = entry;
    factsOf(response).route = apiPath(entry.definition);
    next();
  });
  router.use(guard({ roles: ['client', 'operator'] }));
  router.use((request, response, next) => {
    const { principal } = factsOf(response);
    const { access } = principal;
    const { definition } = response.locals.api as LibraryEntry;
    // Checked first: other errors would reveal that the Api exists.
    if (!matchesPattern(access.journeys, definition.name))
      refuseUnknown(request.path, libraryVisibleTo(access, journeys));
    permit(principal, 'start');
    const method = apiMethod(definition);
    if (request.method !== method) refuseMethod(request, response, [method]);
    next();
  });
  router.use(body);
  router.use(async (request, response) => {
    await answer(response.locals.api as LibraryEntry, request, response, apis, starts);
  });
  return router;
}

/** The Api at a path: an exact path before one with parameters, then the one with this method. */
function apiAt(path: string, method: string, journeys: Library): LibraryEntry | undefined {
  const all = journeys.apis().flatMap((entry) => {
    const parameters = pathParameters(entry.definition, path);
    return parameters ? [{ entry, isExact: Object.keys(parameters).length === 0 }] : [];
  });
  const exact = all.filter(({ isExact }) => isExact);
  const found = (exact.length > 0 ? exact : all).map(({ entry }) => entry);
  return found.find(({ definition }) => apiMethod(definition) === method) ?? found[0];
}

async function answer(
  entry: LibraryEntry,
  request: Request,
  response: Response,
  apis: Apis,
  starts: Starts,
): Promise<void> {
  const { id, principal, trace } = factsOf(response);
  factsOf(response).definition = entry.definition;
  const path = pathParameters(entry.definition, request.path);
  const inbound = { ...inboundOf(request, response), ...(path && { path }) };
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const answered = await apis.call(entry.definition, {
    ...inbound,
    ...starts.prepare(entry, { ...inbound, body: request.method === 'GET' ? {} : objectBody(request) }),
    caller: principal.id,
    requestId: id,
    ...(trace && { trace }),
    signal: gone.signal,
  });
  response.statusCode = answered.status;
  // The Api sets another type if its body is a problem; the status does not imply it.
  response.setHeader('Content-Type', 'application/json');
  for (const [name, value] of Object.entries(answered.headers)) response.setHeader(name, value as string | string[]);
  if (answered.after) response.once('close', answered.after);
  response.end(JSON.stringify(answered.body));
}

/** Rejects an unknown path. */
export function refuseUnknown(path: string, journeys: Library): never {
  const name = /^\/api\/v1\/apis\/([^/]+)$/.exec(path)?.[1];
  if (name === undefined) return refuse('ROUTE_UNKNOWN', undefined, { hint: 'GET /openapi.yaml lists the routes.' });
  const named = journeys.apis().find(({ definition }) => definition.name === name);
  if (named)
    return refuse('API_UNKNOWN', undefined, {
      hint: `It answers at ${apiMethod(named.definition)} ${apiPath(named.definition)}.`,
    });
  refuseBroken(journeys, name);
  const names = journeys.apis().map(({ definition }) => definition.name);
  return refuse('API_UNKNOWN', undefined, suggestion(name, names));
}
