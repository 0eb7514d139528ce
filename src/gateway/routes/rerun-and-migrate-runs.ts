import type { Request, Response } from 'express';
import { isObject, type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { libraryVisibleTo } from '../../service/access.js';
import type { Automation } from '../../service/job-automation.js';
import { findVersion, type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import type { RerunRequest, Runs } from '../../service/runs-interface.js';
import { auditRunChange } from '../audit-runs.js';
import { bodyWith, objectBody, versionIn } from '../request-body.js';
import { factsOf, idempotencyKey } from '../request-facts.js';
import type { Route } from '../route.js';
import type { RunResponses } from '../run-responses.js';

const base = '/api/v1/journeys/:id';

/** Dependencies of operations on runs. */
export interface RunOperationParts {
  readonly runs: Runs;
  readonly journeys: Library;
  readonly answers: Pick<RunResponses, 'statusUrl'>;
  readonly automation: Pick<Automation, 'audit'>;
}

/** Routes for operators: retry, reset and migration of a run. */
export function runRoutes(parts: RunOperationParts): Route[] {
  const { runs: all, journeys, answers, automation } = parts;
  const roles = ['operator'] as const;
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);

  const rerunRoute =
    (event: RerunEvent, read: (body: JsonObject) => RerunOptions): Route['answer'] =>
    async (request, response) => {
      const options = read(objectBody(request));
      const key = idempotencyKey(request);
      const rerun = { id: request.params.id as string, ...options, ...(key !== undefined && { key }) };
      const result = await rerunAudited(parts, event, response, rerun);
      factsOf(response).run = result.journeyId;
      response.status(202).location(result.statusUrl).json(result);
    };

  /** Migrates a run, which keeps its id. */
  async function migrate(request: Request, response: Response): Promise<void> {
    const id = request.params.id as string;
    const version = versionIn(bodyWith(request, ['to'], 'INPUT_INVALID'), 'INPUT_INVALID');
    const runs = runsFor(response);
    const { journeyName } = await runs.status(id);
    const to = findVersion(libraryVisibleTo(factsOf(response).principal.access, journeys), journeyName, version);
    factsOf(response).run = id;
    const { run, from, changed } = await runs.migrate(id, to);
    if (changed)
      await auditRunChange(automation.audit, 'run.migrated', response, id, {
        before: { journeyVersion: from },
        after: { journeyVersion: version },
        detail: { journeyName, state: run.status.currentState },
      });
    response.json({
      journeyId: id,
      journeyName,
      journeyVersion: version,
      migratedFrom: from,
      state: run.status.currentState,
      changed,
      statusUrl: answers.statusUrl(id),
    });
  }

  return [
    { method: 'post', path: `${base}/migrate`, roles, action: 'start', answer: migrate },
    { method: 'post', path: `${base}/retry`, roles, action: 'start', answer: rerunRoute('run.retried', readRetry) },
    { method: 'post', path: `${base}/reset`, roles, action: 'start', answer: rerunRoute('run.reset', readReset) },
  ];
}

type RerunEvent = 'run.retried' | 'run.reset';

/** Options of a rerun as a request has them. */
export interface RerunOptions extends Pick<RerunRequest, 'to' | 'context' | 'despiteCompensation'> {
  /** Uses the definition that is served now. */
  readonly current?: true;
}

/** A rerun as a response shows it. */
export type RerunAnswer = {
  journeyId: string;
  journeyName: string;
  journeyVersion: string;
  retryOf: string;
  state: string;
  repeated: boolean;
  statusUrl: string;
};

/** Reruns a run and records it in the audit log. A repeated request returns the same run and is not recorded again. */
export async function rerunAudited(
  { runs: all, journeys, answers, automation }: RunOperationParts,
  event: RerunEvent,
  response: Response,
  { current, ...request }: RerunOptions & Pick<RerunRequest, 'id' | 'key' | 'unlessRerun'>,
): Promise<RerunAnswer> {
  const { access } = factsOf(response).principal;
  const runs = all.as(access);
  const { id: retryOf } = request;
  const by = current && served(libraryVisibleTo(access, journeys), (await runs.status(retryOf)).journeyName);
  const { run, state, repeated } = await runs.rerun({ ...request, ...(by && { by }) });
  const { journeyId, journeyName, journeyVersion } = run;
  const edited = request.context !== undefined;
  if (!repeated)
    await auditRunChange(automation.audit, event, response, journeyId, {
      detail: { journeyName, retryOf, state, ...(edited && { contextEdited: true }) },
    });
  return { journeyId, journeyName, journeyVersion, retryOf, state, repeated, statusUrl: answers.statusUrl(journeyId) };
}

/** The journey as it is served now. */
function served(journeys: Library, name: string): LibraryEntry {
  const entry = journeys.find(name);
  if (entry) return entry;
  refuseBroken(journeys, name);
  return refuse('JOURNEY_UNKNOWN', `The journey ${JSON.stringify(name)} no longer exists.`);
}

const rerunFields = ['definition', 'despiteCompensation'];

function readRetry(body: JsonObject): RerunOptions {
  only(body, [...rerunFields, 'context']);
  const context = own(body, 'context');
  if (context === undefined) return readRerun(body);
  if (!isObject(context)) return refuse('INPUT_INVALID', 'context must be an object.', { pointer: '/context' });
  return { ...readRerun(body), context };
}

function readReset(body: JsonObject): RerunOptions {
  only(body, [...rerunFields, 'state', 'visit']);
  const [state, visit] = [own(body, 'state'), own(body, 'visit')];
  if (typeof visit === 'string') return { ...readRerun(body), to: { visit } };
  if (typeof state === 'string') return { ...readRerun(body), to: { state } };
  return refuse('INPUT_INVALID', 'Either state or visit is required.', { pointer: '/state' });
}

/** Reads `definition` and `despiteCompensation`. */
export function readRerun(body: JsonObject): RerunOptions {
  const definition = own(body, 'definition');
  if (definition !== undefined && definition !== 'same' && definition !== 'current')
    refuse('INPUT_INVALID', 'definition must be same or current.', { pointer: '/definition' });
  return {
    ...(definition === 'current' && { current: true }),
    ...(own(body, 'despiteCompensation') === true && { despiteCompensation: true }),
  };
}

function only(body: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = unknown.slice(0, 80);
  refuse('INPUT_INVALID', `${JSON.stringify(name)} is not a known field.`, { pointer: `/${name}` });
}
