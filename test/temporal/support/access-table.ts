/** The callers in the table below. For every client but `owner`, the run of `owner` is a foreign one. */
export const callers = {
  /** No credentials. */
  nobody: undefined,
  /** Started the run. */
  owner: { roles: ['client'] },
  other: { roles: ['client'] },
  /** May access every run. */
  wide: { roles: ['client'], runs: 'all' },
  /** May submit steps of others' runs of this journey, as an approver. */
  approver: { roles: ['client'], runs: 'all', journeys: ['access-*'], actions: ['submit'] },
  reader: { roles: ['client'], runs: 'all', actions: ['read'] },
  /** Limited to other journeys. */
  elsewhere: { roles: ['client'], runs: 'all', journeys: ['elsewhere', 'other-*'] },
  operator: { roles: ['operator'] },
  channel: { roles: ['channel'] },
} as const;

export type CallerName = keyof typeof callers;

/**
 * The status that each caller gets. `run`: for the run of `owner`; `unknown`: for one that does not exist; `schedule`: for a schedule
 * of `owner`.
 */
export interface Row {
  route: string;
  path?: string;
  /** The request body; empty by default. */
  body?: object;
  run: Record<CallerName, number>;
  unknown?: Record<CallerName, number>;
  schedule?: Record<CallerName, number>;
}

/** The effect of starting a journey that upserts the schedule of a subject, if `owner` has one for that subject. */
export const upserts: Record<CallerName, 'replaces' | 'has its own' | 'may not start'> = {
  nobody: 'may not start',
  owner: 'replaces',
  other: 'has its own',
  wide: 'has its own',
  approver: 'may not start',
  reader: 'may not start',
  elsewhere: 'may not start',
  operator: 'replaces',
  channel: 'may not start',
};

const everybody = (status: number) =>
  Object.fromEntries(Object.keys(callers).map((name) => [name, status])) as Record<CallerName, number>;

/** Routes about runs: `reached` is the status of permitted requests; other cells are rejections. */
const aboutRuns = (reached: number, allowed: { approver: boolean; reader: boolean }) => {
  const cells = (run: number) => ({
    ...everybody(404),
    nobody: 401,
    channel: 403,
    owner: run,
    wide: run,
    operator: run,
    approver: allowed.approver ? run : 403,
    reader: allowed.reader ? run : 403,
  });
  return { run: cells(reached), unknown: cells(404) };
};

/** Routes that require only a role. */
const forRoles = (admitted: Partial<Record<CallerName, number>>) => ({
  ...everybody(403),
  nobody: 401,
  ...admitted,
});
const forOperators = (operator: number) => forRoles({ operator });
/** A channel must name its profile, which these requests do not. */
const forChannels = (operator: number) => forRoles({ operator, channel: 400 });
const schedules = '/api/v1/schedules';
const jobs = '/api/v1/jobs';
const pipelines = '/api/v1/pipelines';
const inMain = '?orchestratorId=main';

/** Every route of the gateway. If the route is not about runs, `:id` does not exist. */
export const table: readonly Row[] = [
  ...['/healthz', '/readyz', '/openapi.yaml'].map((path) => ({ route: `GET ${path}`, run: everybody(200) })),
  { route: 'GET /docs', run: everybody(200) },
  { route: 'GET /docs/:file', path: '/docs/page.js', run: everybody(200) },
  { route: 'GET /openapi.json', run: { ...everybody(200), nobody: 401, channel: 403 } },
  ...['openapi', 'arazzo'].map((kind) => ({
    route: `GET /${kind}/:name.json`,
    path: `/${kind}/access-errand.json`,
    run: { ...everybody(200), nobody: 401, channel: 403, elsewhere: 404 },
  })),
  { route: 'GET /metrics', run: forOperators(200) },

  { route: 'GET /api/v1/journeys', run: forRoles({ ...everybody(200), nobody: 401, approver: 403, channel: 403 }) },
  {
    route: 'POST /api/v1/journeys/:name/start',
    path: '/api/v1/journeys/access-errand/start',
    run: { ...aboutRuns(200, { approver: false, reader: false }).run, other: 200 },
  },
  { route: 'GET /api/v1/journeys/:id', ...aboutRuns(200, { approver: false, reader: true }) },
  { route: 'GET /api/v1/journeys/:id/result', ...aboutRuns(409, { approver: false, reader: true }) },
  { route: 'POST /api/v1/journeys/:id/steps/:stepId', ...aboutRuns(200, { approver: true, reader: false }) },
  // Its step is not in a map; only callers that may submit learn this.
  { route: 'POST /api/v1/journeys/:id/steps/:stepId/:item', ...aboutRuns(404, { approver: true, reader: false }) },
  // The same for all callers: only a signature gives access.
  { route: 'POST /api/v1/hooks/:name/:stepId', path: '/api/v1/hooks/access-hooked/paid', run: everybody(401) },
  { route: 'POST /api/v1/journeys/:id/steps/cancel', ...aboutRuns(200, { approver: false, reader: false }) },
  // The run has not ended, so it cannot be rerun.
  { route: 'POST /api/v1/journeys/:id/retry', run: forOperators(409), unknown: forOperators(404) },
  {
    route: 'POST /api/v1/journeys/:id/reset',
    body: { state: 'x' },
    run: forOperators(409),
    unknown: forOperators(404),
  },
  // There is no such version.
  {
    route: 'POST /api/v1/journeys/:id/migrate',
    body: { to: '9.9.9' },
    run: forOperators(404),
    unknown: forOperators(404),
  },
  ...['cancel', 'retry'].map((verb) => ({
    route: `POST /api/v1/journeys/bulk/${verb}`,
    body: { ids: ['unknown'] },
    run: forOperators(200),
  })),
  { route: 'GET /api/v1/attention', run: forRoles({ ...everybody(200), nobody: 401, approver: 403, channel: 403 }) },
  { route: 'GET /api/v1/journeys/:id/definition', run: forOperators(200), unknown: forOperators(404) },
  {
    route: 'GET /api/v1/journeys/counts',
    run: forRoles({ ...everybody(200), nobody: 401, approver: 403, channel: 403 }),
  },
  { route: 'GET /api/v1/steps', run: forRoles({ ...everybody(200), nobody: 401, reader: 403, channel: 403 }) },
  { route: 'GET /api/v1/definitions', run: forRoles({ ...everybody(200), nobody: 401, channel: 403 }) },
  {
    route: 'GET /api/v1/definitions/:name',
    path: '/api/v1/definitions/access-errand',
    run: forRoles({ ...everybody(200), nobody: 401, channel: 403, elsewhere: 404 }),
  },
  {
    route: 'GET /api/v1/definitions/:name/changes',
    path: '/api/v1/definitions/access-errand/changes',
    run: forOperators(200),
  },
  {
    route: 'GET /api/v1/definitions/:name/stats',
    path: '/api/v1/definitions/access-errand/stats',
    run: forRoles({ ...everybody(200), nobody: 401, approver: 403, channel: 403 }),
  },
  {
    route: 'GET /api/v1/definitions/:name/edges',
    path: '/api/v1/definitions/access-errand/edges',
    run: forOperators(200),
  },
  { route: 'GET /api/v1/journeys/:id/trail', ...aboutRuns(200, { approver: false, reader: true }) },
  // The first entry of a trail is not a visit.
  { route: 'GET /api/v1/journeys/:id/trail/:n/context', run: forOperators(404), unknown: forOperators(404) },
  {
    route: 'POST /api/v1/apis/:name',
    path: '/api/v1/apis/access-price',
    run: { ...aboutRuns(200, { approver: false, reader: false }).run, other: 200 },
  },

  { route: `GET ${schedules}`, run: forOperators(200) },
  { route: `POST ${schedules}/preview`, run: forOperators(400) },
  { route: `GET ${schedules}/:id`, run: forOperators(404), schedule: forOperators(200) },
  { route: `PATCH ${schedules}/:id`, body: { maxRuns: 3 }, run: forOperators(404), schedule: forOperators(200) },
  { route: `DELETE ${schedules}/:id`, run: forOperators(404), schedule: forOperators(204) },
  { route: `GET ${schedules}/:id/runs`, run: forOperators(404), schedule: forOperators(200) },
  ...['pause', 'resume', 'repair', 'run-now'].map((verb) => ({
    route: `POST ${schedules}/:id/${verb}`,
    run: forOperators(404),
    schedule: forOperators(verb === 'run-now' ? 202 : 200),
  })),
  // There is no such version.
  {
    route: `POST ${schedules}/:id/migrate`,
    body: { to: '9.9.9' },
    run: forOperators(404),
    schedule: forOperators(404),
  },
  // Without an owner.
  ...[`POST ${schedules}/pause`, `POST ${schedules}/resume`, `DELETE ${schedules}`].map((route) => ({
    route,
    run: forOperators(400),
  })),

  { route: `POST ${jobs}`, path: jobs + inMain, run: forChannels(400) },
  { route: `GET ${jobs}`, path: jobs + inMain, run: forChannels(200) },
  { route: `GET ${jobs}/:id`, path: `${jobs}/:id${inMain}`, run: forChannels(404) },
  { route: `PATCH ${jobs}/:id`, path: `${jobs}/:id${inMain}`, body: { name: 'x' }, run: forChannels(404) },
  { route: `DELETE ${jobs}/:id`, path: `${jobs}/:id${inMain}`, run: forChannels(404) },
  { route: `GET ${jobs}/:id/runs`, path: `${jobs}/:id/runs${inMain}`, run: forChannels(404) },
  ...['pause', 'resume', 'repair', 'run-now'].map((verb) => ({
    route: `POST ${jobs}/:id/${verb}`,
    path: `${jobs}/:id/${verb}${inMain}`,
    run: forChannels(404),
  })),
  { route: 'GET /api/v1/queue', run: forChannels(200) },
  { route: 'POST /api/v1/queue', path: `/api/v1/queue${inMain}`, run: forChannels(400) },
  { route: 'GET /api/v1/queue/:id', path: `/api/v1/queue/:id${inMain}`, run: forChannels(404) },
  { route: 'GET /api/v1/functions', run: forChannels(200) },
  { route: 'GET /api/v1/orchestrators', run: forOperators(200) },
  { route: 'POST /api/v1/intents', path: `/api/v1/intents${inMain}`, run: forChannels(200) },

  { route: `GET ${pipelines}`, run: forOperators(200) },
  ...(
    [
      ['GET', ''],
      ['GET', '/topics'],
      ['GET', '/topics/:topic/events'],
      // Clients may publish only if configured.
      ['POST', '/topics/:topic/events', { payload: 1 }],
      ['POST', '/handlers/:handler/trigger'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['GET', '/runs'],
      ['POST', '/runs/:run/resolve', { how: 'retry' }],
    ] as const
  ).map(([method, path, body]) => ({
    route: `${method} ${pipelines}/:name${path}`,
    path: `${pipelines}/unknown${path.replace(/:\w+/, 'it')}`,
    ...(body && { body }),
    run: forOperators(404),
  })),
  // The channel's signature identifies it; this profile does not exist here.
  { route: 'POST /api/v1/channels/:channelProfileId/events', run: everybody(404) },
];
