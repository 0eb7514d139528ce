import type { Request, Response } from 'express';
import { type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { phases } from '../scheduling/jobs/envelope.js';
import type { Automation } from '../service/automation.js';
import { enqueue } from '../service/functions/enqueue.js';
import { placed } from '../service/functions/places.js';
import type { JobView } from '../service/jobs.js';
import { objectBody } from './body.js';
import { jobCaller, scoping } from './job-caller.js';
import { factsOf, queryOf } from './request.js';
import type { Route } from './route.js';
import { invalid, page, paging, read } from './schedule-query.js';

const base = '/api/v1/jobs';
const queue = '/api/v1/queue';

/** Jobs, the queues they go through, and the functions behind both. Everything but looking goes through the registry. */
export function jobRoutes({ automation }: { automation: Automation }): Route[] {
  const { functions, orchestrators, dispatcher } = automation;
  const roles = ['operator', 'channel'] as const;

  const scoped = (request: Request, response: Response, known: readonly string[] = []) => {
    const given = read(queryOf(request), [...scoping, ...known]);
    return { given, caller: jobCaller(orchestrators, request, response, given) };
  };

  /** Invokes a function with what `args` makes of the request. */
  const invoking =
    (functionId: string, args: (request: Request) => JsonObject, status = 200): Route['answer'] =>
    async (request, response) => {
      const { caller } = scoped(request, response);
      const body = (await functions.invoke(functionId, args(request), caller)) as { executionId?: string };
      if (body.executionId !== undefined) factsOf(response).run = body.executionId;
      response.status(status).json(body);
    };
  const jobOf = (request: Request): JsonObject => ({ jobId: request.params.id as string });
  const bare = (request: Request): JsonObject => {
    const unknown = Object.keys(objectBody(request))[0];
    if (unknown !== undefined)
      refuse('JOB_INVALID', 'This takes no body.', { pointer: '', hint: 'Send no body, or {}.' });
    return jobOf(request);
  };

  async function create(request: Request, response: Response): Promise<void> {
    const given = read(queryOf(request), scoping);
    const body = objectBody(request);
    const named = own(body, 'orchestratorId');
    const inQuery = given.get('orchestratorId');
    if (inQuery !== undefined && typeof named === 'string' && named !== inQuery)
      invalid('orchestratorId', 'differs from the one in the body');
    const caller = jobCaller(orchestrators, request, response, given, typeof named === 'string' ? named : inQuery);
    const args = named === undefined ? { ...body, orchestratorId: caller.orchestrator.id } : body;
    const job = (await functions.invoke('schedule.create', args, caller)) as JobView;
    response.status(201).location(`${base}/${job.jobId}?orchestratorId=${job.orchestratorId}`).json(job);
  }

  async function list(request: Request, response: Response): Promise<void> {
    const { given, caller } = scoped(request, response, ['state', ...paging]);
    const state = given.get('state');
    const args = { ...page(given), ...(state !== undefined && { state }) };
    response.json(await functions.invoke('schedule.list', args, caller));
  }

  async function update(request: Request, response: Response): Promise<void> {
    const { caller } = scoped(request, response);
    const patch = objectBody(request);
    // The body is the patch: places in it are told as the caller sees them.
    const updated = functions.invoke('schedule.update', { ...jobOf(request), patch }, caller).catch((error) => {
      throw placed(error, '', '/patch');
    });
    response.json(await updated);
  }

  async function runs(request: Request, response: Response): Promise<void> {
    const { given, caller } = scoped(request, response, paging);
    response.json(await functions.invoke('schedule.runs', { ...jobOf(request), ...page(given) }, caller));
  }

  async function listQueue(request: Request, response: Response): Promise<void> {
    const given = read(queryOf(request), [...scoping, 'phase', ...paging]);
    const phase = phases.find((it) => it === given.get('phase'));
    if (given.has('phase') && phase === undefined) invalid('phase', `must be one of ${phases.join(', ')}`);
    const query = { ...page(given), ...(phase && { phase }) };
    // Only an operator looks at all of them at once.
    const everywhere = isOperator(response) && !scoping.some((it) => given.has(it));
    const found = everywhere
      ? await dispatcher.queue(query)
      : await functions.invoke('queue.list', query, jobCaller(orchestrators, request, response, given));
    response.json(found);
  }

  async function add(request: Request, response: Response): Promise<void> {
    const { caller } = scoped(request, response);
    const body = objectBody(request);
    const unknown = Object.keys(body).find((key) => key !== 'targetAction' && key !== 'targetRef');
    if (unknown !== undefined)
      refuse('JOB_INVALID', `unknown argument \`${unknown.slice(0, 80)}\``, {
        hint: 'Use targetAction and targetRef.',
      });
    const { executionId } = await enqueue(automation, body, caller);
    factsOf(response).run = executionId;
    const statusUrl = `${queue}/${encodeURIComponent(executionId)}?orchestratorId=${caller.orchestrator.id}`;
    response.status(202).location(statusUrl).json({ executionId, requestId: caller.requestId, statusUrl });
  }

  async function published(request: Request, response: Response): Promise<void> {
    const given = read(queryOf(request), scoping);
    const everything = isOperator(response) && given.size === 0;
    const granted = everything ? ['*'] : jobCaller(orchestrators, request, response, given).orchestrator.functions;
    response.json({ items: functions.list(granted) });
  }

  async function overview(request: Request, response: Response): Promise<void> {
    read(queryOf(request), []);
    const items = await Promise.all(
      orchestrators.all.map(async ({ id, root: _, ...rest }) => {
        const workers = await dispatcher.workers(id);
        const beats = workers.map(({ lastHeartbeatAt }) => lastHeartbeatAt).sort();
        return {
          orchestratorId: id,
          ...rest,
          channelProfiles: orchestrators.profilesOf(id).map((it) => ({ id: it.id, channel: it.channel })),
          workers,
          lastHeartbeatAt: beats.at(-1) ?? null,
        };
      }),
    );
    response.json({ items });
  }

  return [
    { method: 'post', path: base, roles, answer: create },
    { method: 'get', path: base, roles, answer: list },
    { method: 'get', path: `${base}/:id`, roles, answer: invoking('schedule.show', jobOf) },
    { method: 'patch', path: `${base}/:id`, roles, answer: update },
    { method: 'delete', path: `${base}/:id`, roles, answer: invoking('schedule.delete', jobOf) },
    { method: 'post', path: `${base}/:id/pause`, roles, answer: invoking('schedule.pause', bare) },
    { method: 'post', path: `${base}/:id/resume`, roles, answer: invoking('schedule.resume', bare) },
    { method: 'post', path: `${base}/:id/repair`, roles, answer: invoking('schedule.repair', bare) },
    { method: 'post', path: `${base}/:id/run-now`, roles, answer: invoking('schedule.run_now', bare, 202) },
    { method: 'get', path: `${base}/:id/runs`, roles, answer: runs },
    { method: 'get', path: queue, roles, answer: listQueue },
    { method: 'post', path: queue, roles, answer: add },
    {
      method: 'get',
      path: `${queue}/:id`,
      roles,
      answer: invoking('workflow.status', (request) => ({ runId: request.params.id as string })),
    },
    { method: 'get', path: '/api/v1/functions', roles, answer: published },
    { method: 'get', path: '/api/v1/orchestrators', roles: ['operator'], answer: overview },
  ];
}

function isOperator(response: Response): boolean {
  return factsOf(response).principal.roles.includes('operator');
}
