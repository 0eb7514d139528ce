import type { Request, Response } from 'express';
import { type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { knownTo } from '../service/access.js';
import { mainOrchestrator } from '../service/audit.js';
import type { Automation } from '../service/automation.js';
import { findVersion, type Library, type LibraryEntry, refuseBroken } from '../service/library.js';
import type { GoAgain } from '../service/run-again.js';
import type { Runs } from '../service/runs.js';
import type { Answers } from './answers.js';
import { bodyWith, objectBody, versionIn } from './body.js';
import { factsOf, idempotencyKey, queryOf } from './request.js';
import type { Route } from './route.js';

const base = '/api/v1/journeys/:id';
const mostLines = 5_000;

interface Parts {
  readonly runs: Runs;
  readonly journeys: Library;
  readonly answers: Pick<Answers, 'statusUrl'>;
  readonly automation: Pick<Automation, 'audit'>;
}

/** What operators do with single runs, beside what their owners can. */
export function runRoutes({ runs: all, journeys, answers, automation: { audit } }: Parts): Route[] {
  const roles = ['operator'] as const;
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);

  async function history(request: Request, response: Response): Promise<void> {
    response.json(await runsFor(response).history(request.params.id as string, limitOf(queryOf(request))));
  }

  /** Goes on with the run and writes down who did it; repeated, it is the same run and one line. */
  const again =
    (event: 'run.retried' | 'run.reset', read: (body: JsonObject) => Pick<GoAgain, 'to'>): Route['answer'] =>
    async (request, response) => {
      const id = request.params.id as string;
      const body = objectBody(request);
      const { principal, id: requestId } = factsOf(response);
      const asked = read(body);
      const runs = runsFor(response);
      const library = knownTo(principal.access, journeys);
      const by =
        own(body, 'definition') === 'current' ? current(library, (await runs.status(id)).journeyName) : undefined;
      const key = idempotencyKey(request);
      const { run, state, repeated } = await runs.again({
        id,
        ...asked,
        ...(by && { by }),
        ...(own(body, 'despiteCompensation') === true && { despiteCompensation: true }),
        ...(key !== undefined && { key }),
      });
      factsOf(response).run = run.id;
      const { journeyName, journeyVersion } = run;
      if (!repeated)
        await audit.record({
          event,
          orchestratorId: mainOrchestrator,
          executionId: run.id,
          by: { caller: principal.id },
          requestId,
          detail: { journeyName, retryOf: id, state },
        });
      const statusUrl = answers.statusUrl(run.id);
      response
        .status(202)
        .location(statusUrl)
        .json({ journeyId: run.id, journeyName, journeyVersion, retryOf: id, state, repeated, statusUrl });
    };

  /** The run stays the run that it is, so there is nothing to find but where it stands. */
  async function move(request: Request, response: Response): Promise<void> {
    const id = request.params.id as string;
    const version = versionIn(bodyWith(request, ['to'], 'INPUT_INVALID'), 'INPUT_INVALID');
    const { principal, id: requestId } = factsOf(response);
    const runs = runsFor(response);
    const { journeyName } = await runs.status(id);
    const to = findVersion(knownTo(principal.access, journeys), journeyName, version);
    factsOf(response).run = id;
    const { run, from, changed } = await runs.move(id, to);
    if (changed)
      await audit.record({
        event: 'run.moved',
        orchestratorId: mainOrchestrator,
        executionId: id,
        by: { caller: principal.id },
        requestId,
        before: { journeyVersion: from },
        after: { journeyVersion: version },
        detail: { journeyName, state: run.status.currentState },
      });
    response.json({
      journeyId: id,
      journeyName,
      journeyVersion: version,
      movedFrom: from,
      state: run.status.currentState,
      changed,
      statusUrl: answers.statusUrl(id),
    });
  }

  return [
    { method: 'post', path: `${base}/move`, roles, action: 'start', answer: move },
    { method: 'get', path: `${base}/history`, roles, action: 'read', answer: history },
    { method: 'post', path: `${base}/retry`, roles, action: 'start', answer: again('run.retried', readRetry) },
    { method: 'post', path: `${base}/reset`, roles, action: 'start', answer: again('run.reset', readReset) },
  ];
}

/** The journey as it is served now. */
function current(journeys: Library, name: string): LibraryEntry {
  const entry = journeys.find(name);
  if (entry) return entry;
  refuseBroken(journeys, name);
  return refuse('JOURNEY_UNKNOWN', `There is no journey called ${JSON.stringify(name)} any more.`);
}

function readRetry(body: JsonObject): Pick<GoAgain, 'to'> {
  only(body, ['definition', 'despiteCompensation']);
  return {};
}

function readReset(body: JsonObject): Pick<GoAgain, 'to'> {
  only(body, ['state', 'visit', 'definition', 'despiteCompensation']);
  const [state, visit] = [own(body, 'state'), own(body, 'visit')];
  if (typeof visit === 'string') return { to: { visit } };
  if (typeof state === 'string') return { to: { state } };
  return refuse('INPUT_INVALID', 'Say where to go back to: state, or visit.', { pointer: '/state' });
}

function only(body: JsonObject, known: readonly string[]): void {
  for (const [name, value] of Object.entries(body)) {
    const pointer = `/${name.slice(0, 80)}`;
    if (!known.includes(name))
      refuse('INPUT_INVALID', `There is no ${JSON.stringify(name.slice(0, 80))} here.`, { pointer });
    if (name === 'definition' && value !== 'same' && value !== 'current')
      refuse('INPUT_INVALID', 'definition must be same or current.', { pointer });
  }
}

function limitOf(query: URLSearchParams): number {
  for (const name of query.keys()) if (name !== 'limit') invalid(name, 'is not known');
  const text = query.get('limit') ?? '500';
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= mostLines ? limit : invalid('limit', `must be a number from 1 to ${mostLines}`);
}

function invalid(name: string, why: string): never {
  return refuse('QUERY_INVALID', `The query parameter ${JSON.stringify(name.slice(0, 80))} ${why}.`, {
    parameter: name.slice(0, 80),
  });
}
