import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Definition } from '../definition/definition.js';
import type { JsonObject } from '../json/value.js';
import { ProblemError, refuse } from '../problems/problem.js';
import { type Access, everything, knownTo } from '../service/access.js';
import { apiPath } from '../service/apis.js';
import { mainOrchestrator } from '../service/audit.js';
import type { Automation } from '../service/automation.js';
import type { ReadGuards } from '../service/guards.js';
import { type Library, type LibraryEntry, refuseBroken } from '../service/library.js';
import { type Admit, callbackParameter, type Runs, type RunView, type SetCookies } from '../service/runs.js';
import type { Starts } from '../service/start.js';
import type { Answers } from './answers.js';
import { anonymous, type Principal } from './auth/authenticate.js';
import { jsonBody, objectBody } from './body.js';
import { listQuery } from './list-query.js';
import { factsOf, idempotencyKey, inboundOf, queryOf } from './request.js';
import type { Route } from './route.js';
import { didYouMean, quote } from './suggest.js';

const base = '/api/v1/journeys';

interface Parts {
  readonly journeys: Library;
  readonly runs: Runs;
  readonly answers: Answers;
  readonly starts: Starts;
  readonly guards: ReadGuards;
  readonly setCookies?: SetCookies;
  readonly automation: Pick<Automation, 'audit'>;
  readonly log: Logger;
}

/** Starting journeys, following and continuing their instances, and listing them. */
export function journeyRoutes({
  journeys,
  runs: all,
  answers,
  starts,
  guards,
  setCookies,
  automation: { audit },
  log,
}: Parts): Route[] {
  const roles = ['client', 'operator'] as const;
  /** The runs that exist for whoever asks. */
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);

  /** Answers with an outcome, and with the cookies that return with it. */
  async function answerOutcome(run: RunView, response: Response): Promise<void> {
    const cookies = (run.outcome && (await setCookies?.(run.outcome))) ?? [];
    if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
    response.json(answers.outcome(run));
  }

  async function start(request: Request, response: Response): Promise<void> {
    const { principal, trace } = factsOf(response);
    const entry = findJourney(knownTo(principal.access, journeys), parameter(request, 'name'));
    factsOf(response).definition = entry.definition;
    const key = idempotencyKey(request);
    const inbound = inboundOf(request, response);
    const mode = entry.definition.lifecycle.startMode;
    const run = await runsFor(response).start({
      ...starts.prepare(entry, { ...inbound, body: objectBody(request) }),
      inbound,
      mode,
      ...(key === undefined ? {} : { idempotencyKey: key }),
      caller: principal.id,
      admit: admitting(request, response),
      ...(trace && { trace }),
    });
    factsOf(response).run = run.id;
    noteUnread(run, response);
    await told('run.started', response, run);
    if (mode === 'sync') await answerOutcome(run, response);
    else response.status(202).location(answers.statusUrl(run.id)).json(answers.started(run));
  }

  async function submit(request: Request, response: Response): Promise<void> {
    const key = idempotencyKey(request);
    const stepId = parameter(request, 'stepId');
    const query = queryOf(request);
    query.delete(callbackParameter);
    const run = await runsFor(response).submit({
      ...inboundOf(request, response),
      id: parameter(request, 'id'),
      caller: factsOf(response).principal.id,
      stepId,
      payload: jsonBody(request, null),
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      query,
      ...(key === undefined ? {} : { idempotencyKey: key }),
      // The run itself gave its callback URLs away, for an answer that tells little.
      ...(!isHolder(response) && { admit: admitting(request, response) }),
    });
    noteUnread(run, response);
    await told('run.submitted', response, run, { detail: { stepId } });
    if (run.unreadable) response.status(202).json({ journeyId: run.id });
    else response.json(answers.status(isHolder(response) ? bare(run) : run, run.projection));
  }

  async function cancel(request: Request, response: Response): Promise<void> {
    jsonBody(request, null);
    const run = await runsFor(response).cancel(parameter(request, 'id'), admitting(request, response));
    const { phase } = run;
    if (run.changed) await told('run.cancelled', response, run, { before: { phase: 'RUNNING' }, after: { phase } });
    response.json(answers.status(run));
  }

  async function list(request: Request, response: Response): Promise<void> {
    const { items, nextPageToken } = await runsFor(response).list(listQuery(queryOf(request)));
    response.json({
      items: items.map((run) => answers.status(run)),
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
  }

  /** Asks the run's own guard about whoever reads it. */
  function admitting(request: Request, response: Response): Admit {
    return (run) => guards.admit(run, inboundOf(request, response));
  }

  /** The caller is told what there is to tell; that a key is missing here is the operator's to know. */
  function noteUnread({ id: run, unread }: RunView, response: Response): void {
    if (!unread) return;
    factsOf(response).code = unread.code;
    log.error({ requestId: factsOf(response).id, run, problem: unread }, unread.title);
  }

  /** Writes down what an operator did. Where nobody says who they are, there is nothing to write down. */
  async function told(
    event: 'run.started' | 'run.submitted' | 'run.cancelled',
    response: Response,
    { id, journeyName }: RunView,
    { detail, ...change }: { detail?: JsonObject; before?: JsonObject; after?: JsonObject } = {},
  ): Promise<void> {
    const { principal, id: requestId } = factsOf(response);
    if (principal === anonymous || !principal.roles.includes('operator')) return;
    await audit.record({
      event,
      orchestratorId: mainOrchestrator,
      executionId: id,
      by: { caller: principal.id },
      requestId,
      ...change,
      detail: { journeyName, ...detail },
    });
  }

  /** An answer about a run: what it refuses is told in the envelope of the run's journey, if the caller reaches the run. */
  function ofRun(answer: Route['answer']): Route['answer'] {
    return async (request, response) => {
      try {
        await answer(request, response);
      } catch (error) {
        const unknown = error instanceof ProblemError && error.problem.code === 'RUN_UNKNOWN';
        const definition = unknown ? undefined : await envelopeOf(parameter(request, 'id'), runsFor(response));
        if (definition) factsOf(response).definition = definition;
        throw error;
      }
    };
  }

  /** The journey of a run, if some journey has an envelope at all. */
  async function envelopeOf(id: string, runs: Runs): Promise<Definition | undefined> {
    const known = journeys.names().map((name) => journeys.find(name)?.definition);
    if (!known.some((definition) => definition?.errors?.envelope)) return undefined;
    const { journeyName } = (await runs.status(id).catch(() => undefined)) ?? {};
    return known.find((definition) => definition?.name === journeyName);
  }

  /** Whoever has the callback URL of a step may submit that step, and needs no key; who it is, nobody knows. */
  async function holder(request: Request): Promise<Principal | undefined> {
    const token = queryOf(request).get(callbackParameter);
    if (token === null) return undefined;
    const [id, stepId] = [parameter(request, 'id'), parameter(request, 'stepId')];
    if (!(await all.isCallback(id, stepId, token))) refuse('CALLBACK_INVALID');
    const caller = `callback:${stepId}`;
    const access: Access = { ...everything(caller), actions: ['submit'] };
    return { id: caller, roles: [], access };
  }

  return [
    { method: 'get', path: base, roles, action: 'read', answer: list },
    { method: 'post', path: `${base}/:name/start`, roles, action: 'start', answer: start },
    {
      method: 'get',
      path: `${base}/:id`,
      roles,
      action: 'read',
      answer: ofRun(async (request, response) => {
        response.json(
          answers.status(await runsFor(response).status(parameter(request, 'id'), admitting(request, response))),
        );
      }),
    },
    {
      method: 'get',
      path: `${base}/:id/result`,
      roles,
      action: 'read',
      answer: ofRun(async (request, response) => {
        const run = await runsFor(response).result(parameter(request, 'id'), admitting(request, response));
        await answerOutcome(run, response);
      }),
    },
    { method: 'post', path: `${base}/:id/steps/cancel`, roles, action: 'cancel', answer: ofRun(cancel) },
    {
      method: 'post',
      path: `${base}/:id/steps/:stepId`,
      roles,
      action: 'submit',
      admits: holder,
      answer: ofRun(submit),
    },
  ];
}

function isHolder(response: Response): boolean {
  return factsOf(response).principal.roles.length === 0;
}

/** A run as another system may see it that knows one of its steps: without what the run is known by, and what else can be done with it. */
function bare(run: RunView): RunView {
  return { ...run, links: false, status: { ...run.status, activeStates: [], tags: [], attributes: {} } };
}

function parameter(request: Request, name: string): string {
  return request.params[name] as string;
}

function findJourney(journeys: Library, name: string): LibraryEntry {
  const found = journeys.find(name);
  if (found !== undefined) return found;
  refuseBroken(journeys, name);
  const api = journeys.apis().find(({ definition }) => definition.name === name);
  return refuse('JOURNEY_UNKNOWN', `There is no journey called ${quote(name)}.`, {
    ...(api ? { hint: `It is an Api: POST ${apiPath(api.definition)}.` } : didYouMean(name, journeys.names())),
  });
}
