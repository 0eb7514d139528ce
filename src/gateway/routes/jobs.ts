import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { phases } from '../../schedules/jobs/dispatch-envelope.js';
import type { CreatedBy } from '../../schedules/jobs/job-record.js';
import { apiBase } from '../../service/apis-interface.js';
import { enqueue } from '../../service/functions/enqueue-execution.js';
import type { Caller } from '../../service/functions/function-registry.js';
import { sayFunctionId } from '../../service/functions/plain-english-function.js';
import { relocateProblem } from '../../service/functions/relocate-problem-pointers.js';
import {
  type Automation,
  memberCaller,
  operatorCaller,
  type ScopeRequest,
  scopeOf,
} from '../../service/job-automation.js';
import type { JobView } from '../../service/jobs-interface.js';
import type { ChannelProfile, Orchestrators } from '../../service/orchestrators.js';
import { isIdempotencyKey } from '../../service/runs-interface.js';
import { anonymous, type Principal } from '../auth/authenticate.js';
import { objectBody } from '../request-body.js';
import { factsOf, idempotencyKey, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { pageParameters, readPage, readQuery, refuseParameter } from './list-query-parameters.js';

const base = '/api/v1/jobs';
const queue = '/api/v1/queue';

/** Routes of jobs, queues and functions. All changes go through the function registry. */
export function jobRoutes({ automation }: { automation: Automation }): Route[] {
  const { functions, orchestrators, dispatcher } = automation;
  const roles = ['operator', 'channel'] as const;

  const scoped = (request: Request, response: Response, known: readonly string[] = []) => {
    const given = readQuery(queryOf(request), [...scoping, ...known]);
    return { given, caller: jobCaller(orchestrators, request, response, given) };
  };

  /** Invokes a function with arguments from the request. */
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
    const given = readQuery(queryOf(request), scoping);
    const body = objectBody(request);
    const named = own(body, 'orchestratorId');
    const inQuery = given.get('orchestratorId');
    if (inQuery !== undefined && typeof named === 'string' && named !== inQuery)
      refuseParameter('orchestratorId', 'differs from the one in the body');
    const caller = jobCaller(orchestrators, request, response, given, typeof named === 'string' ? named : inQuery);
    const args = named === undefined ? { ...body, orchestratorId: caller.orchestrator.id } : body;
    const job = (await functions.invoke('schedule.create', args, caller)) as JobView;
    response.status(201).location(`${base}/${job.jobId}?orchestratorId=${job.orchestratorId}`).json(job);
  }

  async function list(request: Request, response: Response): Promise<void> {
    const { given, caller } = scoped(request, response, ['state', ...pageParameters]);
    const state = given.get('state');
    const args = { ...readPage(given), ...(state !== undefined && { state }) };
    response.json(await functions.invoke('schedule.list', args, caller));
  }

  async function update(request: Request, response: Response): Promise<void> {
    const { caller } = scoped(request, response);
    const patch = objectBody(request);
    // The body is the patch: pointers of findings must refer to the body.
    const updated = functions.invoke('schedule.update', { ...jobOf(request), patch }, caller).catch((error) => {
      throw relocateProblem(error, '', '/patch');
    });
    response.json(await updated);
  }

  async function runs(request: Request, response: Response): Promise<void> {
    const { given, caller } = scoped(request, response, pageParameters);
    response.json(await functions.invoke('schedule.runs', { ...jobOf(request), ...readPage(given) }, caller));
  }

  async function listQueue(request: Request, response: Response): Promise<void> {
    const given = readQuery(queryOf(request), [...scoping, 'phase', ...pageParameters]);
    const phase = phases.find((it) => it === given.get('phase'));
    if (given.has('phase') && phase === undefined) refuseParameter('phase', `must be one of ${phases.join(', ')}`);
    const query = { ...readPage(given), ...(phase && { phase }) };
    // Only operators may list all orchestrators at once.
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
    const given = readQuery(queryOf(request), scoping);
    const everything = isOperator(response) && given.size === 0;
    const granted = everything ? ['*'] : jobCaller(orchestrators, request, response, given).orchestrator.functions;
    response.json({ items: functions.list(granted) });
  }

  async function overview(request: Request, response: Response): Promise<void> {
    readQuery(queryOf(request), []);
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

/** Requests in plain English. The scope may be in the body or in the query; the other fields are arguments of `schedule.say`. */
export function intentRoutes({ automation: { functions, orchestrators } }: { automation: Automation }): Route[] {
  return [
    {
      method: 'post',
      path: `${apiBase}/intents`,
      roles: ['operator', 'channel'],
      async answer(request, response) {
        const given = readQuery(queryOf(request), scoping);
        const { orchestratorId, ...args } = objectBody(request);
        const profile = own(args, 'channelProfileId') ?? given.get('channelProfileId');
        if (typeof profile === 'string') given.set('channelProfileId', profile);
        const named = typeof orchestratorId === 'string' ? orchestratorId : given.get('orchestratorId');
        const caller = jobCaller(orchestrators, request, response, given, named);
        const said = { ...args, ...(profile !== undefined && { channelProfileId: profile }) };
        response.json(await functions.invoke(sayFunctionId, said, caller));
      },
    },
  ];
}

/** Query parameters of every request about jobs: the scope, and the sender that a channel acts for. */
const scoping = ['orchestratorId', 'channelProfileId', 'senderId', 'sender', 'requestMessageId'];

const asserted = ['senderId', 'sender', 'requestMessageId'] as const;

/** The caller and its orchestrator. Operators may act in all; a channel in that of its own profiles. */
function jobCaller(
  orchestrators: Orchestrators,
  request: Request,
  response: Response,
  given: ReadonlyMap<string, string>,
  orchestratorId = given.get('orchestratorId'),
): Caller {
  const { principal } = factsOf(response);
  const scope: ScopeRequest = { orchestratorId, channelProfileId: given.get('channelProfileId') };
  const isOperator = principal.roles.includes('operator');
  if (!isOperator && scope.channelProfileId === undefined)
    refuse('ORCHESTRATOR_REQUIRED', 'A channel must give its channelProfileId.');
  const { orchestrator, profile } = scopeOf(orchestrators, scope);
  const speaks = profile !== undefined && speaksFor(principal, profile);
  if (!isOperator && !speaks)
    refuse('FORBIDDEN', 'The caller may not act for this channel profile.', {
      hint: `List it under channelProfiles.${profile?.id}.callers in the configuration.`,
    });
  const by = requester(principal, profile, speaks, given);
  const key = idempotencyKey(request);
  const requestId = key ?? (by.requestMessageId === undefined ? randomUUID() : `message:${by.requestMessageId}`);
  return (isOperator ? operatorCaller : memberCaller)(orchestrator, by, speaks ? 'channel' : 'http', requestId);
}

/** Without authentication, every local caller may act for any profile. */
function speaksFor(principal: Principal, profile: ChannelProfile): boolean {
  return principal.roles.includes('channel') && (principal === anonymous || profile.callers.includes(principal.id));
}

/** The requester: as authenticated, with the sender that a channel asserts for its own profile. */
function requester(
  principal: Principal,
  profile: ChannelProfile | undefined,
  speaks: boolean,
  given: ReadonlyMap<string, string>,
): CreatedBy {
  const said = asserted.filter((name) => given.has(name));
  if (said.length > 0 && !speaks)
    refuse('FORBIDDEN', `Only a channel may send ${said.join(', ')}, for its own profile.`);
  const messageId = given.get('requestMessageId');
  if (messageId !== undefined && !isIdempotencyKey(messageId)) refuseParameter('requestMessageId', 'is not usable');
  return {
    caller: principal.id,
    ...(profile && { channelProfileId: profile.id }),
    ...Object.fromEntries(said.map((name) => [name, given.get(name)!])),
  };
}
