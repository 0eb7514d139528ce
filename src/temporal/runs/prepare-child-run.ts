import type { Client } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { AdmittedTask } from '../../../workflows/journey/admission-contract.js';
import { attributesOf } from '../../../workflows/shared/run-search-attributes.js';
import { isObject, type JsonObject } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import type { ChildJourney } from '../../engine/definition/external-activity-types.js';
import { keyedRunId } from '../../engine/definition/keyed-run-id.js';
import type { ParentRun } from '../../language/tasks/external/activity-admission-contract.js';
import { runKeyOf } from '../../service/keys/evaluate-run-key.js';
import { type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import { type PreparedStart, Starts } from '../../service/prepare-start-with-ajv.js';
import { asProblem, isNotFound } from '../classify-temporal-errors.js';
import { keySecrets } from '../namespace-secret.js';
import { callbackUrls } from './callback-urls.js';
import { keyedJourneyId, newJourneyId, shellSafeId } from './run-ids.js';
import { startOptions } from './run-start-options.js';
import { isReached } from './run-visibility-query.js';
import { ownersAccess } from './submit-and-signal.js';

/** Dependencies of the start of child runs. */
export interface ChildRunDeps {
  readonly client: Client;
  readonly config: Config;
  readonly library: Library | Promise<Library>;
}

type ChildTask = ChildJourney & { parent: ParentRun };

/** Prepares the run of a journey that another run starts. A refusal that the run can handle is data. */
export type ChildRuns = (task: ChildTask) => Promise<AdmittedTask>;

/** Prepares child runs of the journeys of a library. */
export function childRuns({ client, config, library }: ChildRunDeps): ChildRuns {
  const starts = new Starts(config.platform, config.limits.metadata);
  return async (task) => {
    try {
      return { child: await childRun(client, config, prepared(await library, starts, task), task) };
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
      const { code, detail, title } = error.problem;
      return { refused: { ok: false, error: { type: code, message: detail ?? title } } };
    }
  };
}

function prepared(library: Library, starts: Starts, { journey, input, parent }: ChildTask): PreparedStart {
  // Children that start their parents would never end.
  if (parent.callers.includes(journey))
    refuse('JOURNEY_RECURSIVE', `${[...parent.callers, journey].join(' → ')}: a journey cannot start itself.`);
  const entry = found(library, journey);
  if (!isObject(input)) return refuse('INPUT_INVALID', 'The input must be an object.');
  return starts.prepare(entry, { body: input as JsonObject, headers: {}, query: new URLSearchParams() });
}

function found(library: Library, journey: string): LibraryEntry {
  const entry = library.find(journey);
  if (entry) return entry;
  refuseBroken(library, journey);
  return refuse('JOURNEY_UNKNOWN', `The worker serves no journey ${JSON.stringify(journey.slice(0, 80))}.`);
}

/** The start of the run, for the owner of its parent. */
async function childRun(client: Client, config: Config, start: PreparedStart, { idempotencyKey, parent }: ChildTask) {
  const { definition, body } = start;
  const run = { ...(await idOf(client, config, start, idempotencyKey, parent)), nonce: newJourneyId() };
  const attributes = { ...start.attributes, parentJourneyId: parent.id };
  const { reuse, ...ids } = run;
  const options = startOptions(ids, { ...start, body, attributes, mode: 'async', caller: '' }, config, {
    callbacks: await callbackUrls(client, config, ids, definition),
  });
  const { startedBy, ownSchedules } = parent;
  const owner = { ...(startedBy !== undefined && { startedBy }), ...(ownSchedules && { ownSchedules }) };
  const { startedBy: _, ...memo } = options.memo!.journey as JsonObject;
  const [context, rest] = options.args;
  return {
    workflowId: ids.id,
    taskQueue: config.temporal.taskQueue,
    workflowType: definition.name,
    args: [context, { ...rest, info: { ...rest.info!, callers: parent.callers } }] as typeof options.args,
    memo: { journey: { ...memo, ...owner } },
    attributes: {
      ...attributesOf(definition, { tags: start.tags, attributes }),
      ...(startedBy !== undefined && { StartedBy: startedBy }),
    },
    summary: `${definition.name} ${definition.version}`,
    ...(definition.description !== undefined && { details: definition.description }),
    reuse,
  };
}

/**
 * The id of the run: that of its business key, or one that only this visit of the state has. The id of a visit is used again only if its run
 * did not succeed, that of a key as its journey says.
 */
async function idOf(
  client: Client,
  config: Config,
  { definition, body }: PreparedStart,
  idempotencyKey: string,
  parent: ParentRun,
): Promise<{ id: string; reuse: WorkflowIdReusePolicy }> {
  const key = await runKeyOf(definition, body, { limits: config.limits.expression });
  if (key === undefined) {
    const { current } = await keySecrets(client, config);
    const id = shellSafeId(keyedJourneyId(current, 'child', definition.name, idempotencyKey));
    return { id, reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY };
  }
  const id = keyedRunId(definition.name, key);
  const isFree = !definition.key!.once && (await hasOwnRun(client, id, parent));
  return { id, reuse: isFree ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE };
}

/** Whether the last run of a key belongs to the same owner: a key whose last run belongs to somebody else is taken. */
async function hasOwnRun(client: Client, id: string, parent: ParentRun): Promise<boolean> {
  const last = await client.workflow
    .getHandle(id)
    .describe()
    .catch((error) => (isNotFound(error) ? undefined : Promise.reject(asProblem(error))));
  return last !== undefined && isReached(ownersAccess(parent), last);
}
