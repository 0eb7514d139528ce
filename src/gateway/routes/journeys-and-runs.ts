import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Definition } from '../../engine/definition/definition.js';
import { type Access, fullAccess, libraryVisibleTo, type ReadGuards } from '../../service/access.js';
import { apiPath } from '../../service/apis-interface.js';
import type { Automation } from '../../service/job-automation.js';
import { type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import type { Starts } from '../../service/prepare-start-with-ajv.js';
import {
  type Admit,
  callbackParameter,
  type Runs,
  type RunView,
  type SetCookies,
} from '../../service/runs-interface.js';
import { auditRunChange, cancelled, type RunChange } from '../audit-runs.js';
import { anonymous, type Principal } from '../auth/authenticate.js';
import { jsonBody, objectBody } from '../request-body.js';
import { factsOf, idempotencyKey, inboundOf, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { bareRun, type RunResponses } from '../run-responses.js';
import { quote, suggestion } from '../suggest-and-quote-names.js';
import { runListQuery } from './run-filter-parameters.js';

const base = '/api/v1/journeys';

interface JourneyRouteDeps {
  readonly journeys: Library;
  readonly runs: Runs;
  readonly answers: RunResponses;
  readonly starts: Starts;
  readonly guards: ReadGuards;
  readonly setCookies?: SetCookies;
  readonly automation: Pick<Automation, 'audit'>;
  readonly log: Logger;
}

/** Routes for starting journeys, and for listing, showing, submitting to and cancelling runs. */
export function journeyRoutes({
  journeys,
  runs: all,
  answers,
  starts,
  guards,
  setCookies,
  automation: { audit },
  log,
}: JourneyRouteDeps): Route[] {
  const roles = ['client', 'operator'] as const;
  /** The runs that the caller can access. */
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);

  /** Sends an outcome with its cookies. */
  async function answerOutcome(run: RunView, response: Response): Promise<void> {
    const cookies = (run.outcome && (await setCookies?.(run.outcome))) ?? [];
    if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
    response.json(answers.outcome(run));
  }

  async function start(request: Request, response: Response): Promise<void> {
    const { principal, trace } = factsOf(response);
    const entry = findJourney(libraryVisibleTo(principal.access, journeys), parameter(request, 'name'));
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
      ownSchedules: !principal.roles.includes('operator'),
      admit: admitting(request, response),
      ...(trace && { trace }),
    });
    factsOf(response).run = run.journeyId;
    logUndecryptable(run, response);
    await auditOperator('run.started', response, run.journeyId, { detail: { journeyName: run.journeyName } });
    if (mode === 'sync') await answerOutcome(run, response);
    else response.status(202).location(answers.statusUrl(run.journeyId)).json(answers.started(run));
  }

  async function submit(request: Request, response: Response): Promise<void> {
    const key = idempotencyKey(request);
    const stepId = addressOf(request);
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
      // Holders of a callback URL are not checked by the read guard; their response contains little.
      ...(!isHolder(response) && { admit: admitting(request, response) }),
    });
    logUndecryptable(run, response);
    await auditOperator('run.submitted', response, run.journeyId, {
      detail: { journeyName: run.journeyName, stepId },
    });
    if (run.unreadable) response.status(202).json({ journeyId: run.journeyId });
    else response.json(answers.status(isHolder(response) ? bareRun(run) : run, run.projection));
  }

  async function cancel(request: Request, response: Response): Promise<void> {
    jsonBody(request, null);
    const run = await runsFor(response).cancel(parameter(request, 'id'), admitting(request, response));
    if (run.changed) await auditOperator('run.cancelled', response, run.journeyId, cancelled(run));
    response.json(answers.status(run));
  }

  async function list(request: Request, response: Response): Promise<void> {
    const known = libraryVisibleTo(factsOf(response).principal.access, journeys);
    const { items, nextPageToken } = await runsFor(response).list(runListQuery(queryOf(request), known));
    response.json({
      items: items.map((run) => answers.listed(run)),
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
  }

  /** Checks the caller with the run's read guard. */
  function admitting(request: Request, response: Response): Admit {
    return (run) => guards.admit(run, inboundOf(request, response));
  }

  /** Logs for the operator that a key is missing here; the caller gets the readable part. */
  function logUndecryptable({ journeyId: run, unread }: RunView, response: Response): void {
    if (!unread) return;
    factsOf(response).code = unread.code;
    log.error({ requestId: factsOf(response).id, run, problem: unread }, unread.title);
  }

  /** Records an operator's action. Anonymous callers are not recorded. */
  async function auditOperator(
    event: 'run.started' | 'run.submitted' | 'run.cancelled',
    response: Response,
    id: string,
    change: RunChange,
  ): Promise<void> {
    const { principal } = factsOf(response);
    if (principal !== anonymous && principal.roles.includes('operator'))
      await auditRunChange(audit, event, response, id, change);
  }

  /** Answers errors about a run in the envelope of its journey, if the caller can access the run. */
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

  /** The definition of a run, if any journey has an envelope. */
  async function envelopeOf(id: string, runs: Runs): Promise<Definition | undefined> {
    const known = journeys.names().map((name) => journeys.find(name)?.definition);
    if (!known.some((definition) => definition?.errors?.envelope)) return undefined;
    const { journeyName } = (await runs.status(id).catch(() => undefined)) ?? {};
    return known.find((definition) => definition?.name === journeyName);
  }

  /** The holder of a step's callback URL may submit that step without other credentials. */
  async function holder(request: Request): Promise<Principal | undefined> {
    const token = queryOf(request).get(callbackParameter);
    if (token === null) return undefined;
    const [id, stepId] = [parameter(request, 'id'), addressOf(request)];
    if (!(await all.isCallback(id, stepId, token))) refuse('CALLBACK_INVALID');
    const caller = `callback:${stepId}`;
    const access: Access = { ...fullAccess(caller), actions: ['submit'] };
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
    ...[`${base}/:id/steps/:stepId`, `${base}/:id/steps/:stepId/:item`].map(
      (path): Route => ({ method: 'post', path, roles, action: 'submit', admits: holder, answer: ofRun(submit) }),
    ),
  ];
}

function isHolder(response: Response): boolean {
  return factsOf(response).principal.roles.length === 0;
}

function parameter(request: Request, name: string): string {
  return request.params[name] as string;
}

/** The address of the step that a request submits. */
function addressOf(request: Request): string {
  const { stepId, item } = request.params;
  return item === undefined ? (stepId as string) : `${stepId}/${item}`;
}

function findJourney(journeys: Library, name: string): LibraryEntry {
  const found = journeys.find(name);
  if (found !== undefined) return found;
  refuseBroken(journeys, name);
  const api = journeys.apis().find(({ definition }) => definition.name === name);
  return refuse('JOURNEY_UNKNOWN', `There is no journey called ${quote(name)}.`, {
    ...(api ? { hint: `It is an Api: POST ${apiPath(api.definition)}.` } : suggestion(name, journeys.names())),
  });
}
