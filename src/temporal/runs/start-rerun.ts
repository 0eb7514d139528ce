import { randomUUID } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { journeyArguments, newInput, settingsOf } from '../../../workflows/journey/build-workflow-input.js';
import {
  type EnteredState,
  type JourneyInput,
  type JourneyWorkflow,
  type LoggedPosition,
  type LoggedPositions,
  names,
  replayedNext,
} from '../../../workflows/journey/workflow-contract.js';
import { attributesOf, pairs } from '../../../workflows/shared/run-search-attributes.js';
import { isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { compensationJourney } from '../../engine/compensation.js';
import type { Definition } from '../../engine/definition/definition.js';
import { withinDuration } from '../../engine/definition/duration-limits.js';
import { uniqueRunId } from '../../engine/definition/keyed-run-id.js';
import type { Outcome } from '../../engine/outcome.js';
import type { Position } from '../../engine/run.js';
import { migrationConflict } from '../../language/states/check-migration.js';
import { allStates } from '../../language/states/graph-traversal.js';
import { isFailure, taskOf } from '../../language/states/state-queries.js';
import { declaredConfig } from '../../service/check-platform-config.js';
import { signaturesOf } from '../../service/request-signature.js';
import type { RerunRequest, RerunResult } from '../../service/runs-interface.js';
import { checkSize } from '../check-payload-size.js';
import { asProblem, isUnanswered } from '../classify-temporal-errors.js';
import { keySecrets } from '../namespace-secret.js';
import { readBindingSource } from '../schedules/bindings/binding-action.js';
import { callbackUrls } from './callback-urls.js';
import { keyedJourneyId, payloadHash, shellSafeId } from './run-ids.js';
import { migratedMemo } from './run-start-options.js';
import { describedView, type RunMemo } from './run-views.js';

/** Timeout for a worker to replay the run. */
const replayMs = 20_000;
/** The attribute with the id of the previous run. */
export const rerunOf = 'retryOf';

/** Starts a new run from a state of an ended one. `outcome` is absent if the run was terminated. */
export async function startRerun(
  client: Client,
  config: Config,
  before: { description: WorkflowExecutionDescription; outcome: Outcome },
  request: RerunRequest,
): Promise<RerunResult> {
  const { description, outcome } = before;
  const { id, to, by, key, context } = request;
  const isRetry = to === undefined;
  if (isRetry && outcome.phase === 'SUCCEEDED')
    refuse('RETRY_NOT_POSSIBLE', 'The run has succeeded.', { hint: 'Reset it to an earlier state instead.' });
  if (outcome.compensation && !request.despiteCompensation)
    refuse('RETRY_NOT_POSSIBLE', 'The compensation of the run has completed.', {
      hint: 'Start the journey again. If its effects still exist, use --despite-compensation in the terminal or "despiteCompensation": true over HTTP.',
    });
  const [runId, wanted] = visit(to?.visit) ?? [description.runId, undefined];
  const execution = { workflowId: id, runId };
  const source = readBindingSource(client, execution, config.temporal.taskQueue);
  const { input } = await source.catch((error) => Promise.reject(asProblem(error)));
  if (input.info.scheduled || input.info.handler)
    refuse('RETRY_NOT_POSSIBLE', 'The run was started by a schedule or pipeline, which starts the next one.', {
      hint: 'For a schedule: schedule run-now. For a pipeline: pipeline resolve.',
    });
  const { known } = await momentOf(client, execution, null);
  const chosen =
    wanted === undefined
      ? isRetry
        ? failedVisit(known, outcome, input.definition)
        : known.findLast(({ state }) => state === to?.state)
      : known.find(({ n }) => n === wanted);
  if (!chosen) return refuse('VISIT_UNKNOWN', momentHint(known, to?.state));
  const { moment } = await momentOf(client, execution, chosen.n);
  if (!moment) return refuse('VISIT_UNKNOWN');
  const definition = by?.definition ?? input.definition;
  const unfit =
    by && migrationConflict(input.definition, definition, moment.position.root, input.bindings !== undefined);
  if (unfit)
    refuse('MIGRATION_NOT_POSSIBLE', `${definition.name} ${definition.version} is not compatible: ${unfit.why}`, {
      pointer: unfit.pointer,
    });
  const inputHash = context && payloadHash(context);
  const retryKey = `retry ${visitOf(runId, chosen.n)}${inputHash === undefined ? '' : ` ${inputHash}`}`;
  const newId = await rerunId(client, config, id, key ?? (isRetry ? retryKey : randomUUID()));
  const edited = context && withContext(moment, context);
  // A changed request needs new idempotency keys.
  const keepsKeys = isRetry && !edited;
  const next = await rerunInput(client, config, {
    input,
    moment: edited ?? moment,
    definition,
    newId,
    keepsKeys,
    of: id,
  });
  checkSize(next);
  const memo = { ...memoOf(description), ...(inputHash !== undefined && { inputHash }) };
  const repeated = await start(client, config, next, by ? migratedMemo(memo, by) : memo);
  const described = await client.workflow.getHandle(newId).describe();
  if (repeated && (described.memo?.journey as RunMemo | undefined)?.inputHash !== inputHash)
    refuse('IDEMPOTENCY_KEY_REUSED', 'The key was used with another context.');
  return { run: describedView(described), state: chosen.state, repeated };
}

/** The name of a visit in a trail. */
function visitOf(runId: string, n: number): string {
  return `${runId}:${n}`;
}

/** Parses the name of a visit. */
function visit(text: string | undefined): [runId: string, n: number] | undefined {
  if (text === undefined) return undefined;
  const [, runId, n] =
    /^([\w-]{1,64}):(\d{1,7})$/.exec(text) ?? refuse('VISIT_UNKNOWN', 'It is not a valid visit of a state.');
  return [runId!, Number(n)];
}

/** Queries the position of the run at a visit; a worker replays the run for it. */
async function momentOf(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  n: number | null,
): Promise<LoggedPositions> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const ask = () => handle.query<LoggedPositions, [number | null]>(names.moment, n);
  // A worker may have cached the run as of its termination; it evicts it first.
  const asked = client.withDeadline(Date.now() + replayMs, () =>
    ask().catch((error: Error) => (error.message.includes(replayedNext) ? ask() : Promise.reject(error))),
  );
  return await asked.catch((error) => {
    if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker returned the position of the run.');
    throw asProblem(error);
  });
}

function momentHint(known: readonly EnteredState[], state: string | undefined): string {
  if (known.length === 0)
    return 'The position of the run is unknown: it has too many branches, or ended before it entered a state.';
  const states = [...new Set(known.map((it) => it.state))].slice(-20).join(', ');
  return state === undefined
    ? `It was last in ${states}.`
    : `The run did not visit '${state}' recently; it was in ${states}.`;
}

/**
 * The visit that a retry repeats: the failed state. A `fail` state only reports an earlier result, so its retry repeats the last task before
 * it.
 */
export function failedVisit(
  known: readonly EnteredState[],
  { error }: Pick<Outcome, 'error'>,
  definition: Definition,
): EnteredState | undefined {
  const [failures, tasks] = [new Set<string>(), new Set<string>()];
  for (const { id, state } of allStates(definition)) {
    if (isFailure(state)) failures.add(id);
    if (taskOf(state)) tasks.add(id);
  }
  const isTask = (it: EnteredState) => tasks.has(it.state);
  const named = known.findLast(({ state }) => state === error?.state);
  if (named) return named;
  const failed = known.findLastIndex((it) => failures.has(it.state));
  if (failed === -1) return known.at(-1);
  const way = known.slice(0, failed);
  const { frame } = known[failed]!;
  return way.findLast((it) => it.frame === frame && isTask(it)) ?? way.findLast(isTask) ?? known[0];
}

/** The moment with another context for the frame that enters the state. Frames around it keep theirs. */
function withContext(moment: LoggedPosition, context: JsonObject): LoggedPosition {
  const replaced = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(replaced);
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, it]) => [
      key,
      key === 'context' || key === 'item' ? it : replaced(it as Json),
    ]);
    const isFrame = 'entered' in value && 'at' in value && value.id === moment.frame;
    return { ...Object.fromEntries(entries), ...(isFrame && { context }) };
  };
  return { ...moment, position: replaced(moment.position as unknown as Json) as unknown as Position };
}

interface RerunSource {
  readonly input: JourneyInput;
  readonly moment: LoggedPosition;
  readonly definition: Definition;
  readonly newId: string;
  /** Whether calls keep the idempotency keys of the previous run. */
  readonly keepsKeys: boolean;
  /** The previous run. */
  readonly of: string;
}

async function rerunInput(client: Client, config: Config, again: RerunSource): Promise<JourneyInput> {
  const { input, moment, definition, newId, keepsKeys, of } = again;
  const { startedAt: _, callbacks: __, keys, nonce: ____, ...info } = input.info;
  const callbacks = await callbackUrls(client, config, { id: newId }, definition);
  const { execution } = input.bindings
    ? compensationJourney(definition)
    : withinDuration(definition, input.limits.duration);
  const { deadlineAt: ___, ...position } = withoutRequests(moment.position as unknown as Json) as unknown as Position;
  return newInput(settingsOf(input), {
    definition,
    tags: input.tags,
    attributes: input.attributes,
    ...(input.bindings && { bindings: input.bindings }),
    info: {
      ...info,
      id: newId,
      ...(definition !== input.definition && { config: declaredConfig(definition, config.platform) }),
      ...(callbacks && { callbacks }),
      // The failed call may have taken effect: the same idempotency key prevents a second one.
      ...(keepsKeys && { keys: keys ?? uniqueRunId(input.info) }),
    },
    context: {},
    carried: {
      position: {
        ...position,
        attributes: { ...position.attributes, [rerunOf]: of },
        ...(execution && { deadlineAt: Date.now() + execution.maxDurationSec * 1000 }),
      },
      updatedAt: Date.now(),
      kept: [],
      answers: [],
      rerun: true,
    },
  });
}

/** Requests of the previous run no longer exist. */
function withoutRequests(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutRequests);
  if (!isObject(value)) return value;
  const isFrame = 'entered' in value && 'at' in value;
  const entries = Object.entries(value).filter(([key]) => !(isFrame && key === 'request'));
  return Object.fromEntries(entries.map(([key, it]) => [key, key === 'context' ? it : withoutRequests(it as Json)]));
}

async function rerunId(client: Client, config: Config, id: string, key: string): Promise<string> {
  const { current } = await keySecrets(client, config);
  return shellSafeId(keyedJourneyId(current, 'again', id, key));
}

function memoOf({ memo }: WorkflowExecutionDescription): Partial<RunMemo> {
  const { inputHash: _, request: __, nonce: ___, ...journey } = (memo?.journey ?? {}) as RunMemo;
  return journey;
}

/** True if the run already existed. */
async function start(client: Client, config: Config, input: JourneyInput, memo: Partial<RunMemo>): Promise<boolean> {
  const { definition, info, carried } = input;
  const { tags, attributes, root } = carried!.position;
  const signatures = signaturesOf(definition);
  const started = client.workflow.start<JourneyWorkflow>(definition.name, {
    workflowId: info.id,
    taskQueue: config.temporal.taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    typedSearchAttributes: new TypedSearchAttributes(
      pairs({
        ...attributesOf(definition, { tags, attributes }),
        ...(memo.startedBy !== undefined && { StartedBy: memo.startedBy }),
      }),
    ),
    memo: {
      journey: {
        ...memo,
        links: definition.links,
        tags,
        start: root.at,
        ...(Object.keys(definition.http.steps).length > 0 && { steps: definition.http.steps }),
        ...(Object.keys(signatures).length > 0 && { signatures }),
      },
    },
    staticSummary: `${definition.name} ${definition.version}, rerun from ${root.at}`,
    staticDetails: `It follows the run \`${String(attributes[rerunOf])}\`.`,
    args: journeyArguments(input),
  });
  return await started.then(
    () => false,
    (error) => {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return true;
      throw asProblem(error);
    },
  );
}
