import { randomUUID } from 'node:crypto';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  type JourneyInput,
  type JourneyWorkflow,
  journeyArguments,
  type Moment,
  type Moments,
  names,
  replayedNext,
  type TrailEntry,
} from '../../workflows/input.js';
import { attributesOf, pairs } from '../../workflows/search-attributes.js';
import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import { withinDuration } from '../definition/duration-limits.js';
import { compensationJourney } from '../engine/compensation.js';
import type { Outcome } from '../engine/outcome.js';
import type { Position } from '../engine/run.js';
import { interpreterVersion } from '../engine/version.js';
import { isObject, type Json } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { declaredConfig } from '../service/platform.js';
import type { GoAgain, GoneAgain } from '../service/run-again.js';
import { signaturesOf } from '../service/signature.js';
import { allStates } from '../states/graphs.js';
import { misfit } from '../states/move.js';
import { callbackUrls } from './callbacks.js';
import { asProblem, isUnanswered } from './failures.js';
import { keySecrets } from './namespace-secret.js';
import { checkSize } from './payloads.js';
import { visitOf } from './run-history.js';
import { keyedJourneyId, typeable } from './run-ids.js';
import { readSource } from './schedules/action.js';
import { movedMemo } from './start-options.js';
import { describedView, type RunMemo } from './views.js';

/** How long a worker may take to replay the run. */
const replayMs = 20_000;
/** The attribute that names the run before. */
const link = 'retryOf';

/** Starts the run that goes on where another stood. Its outcome is given where it has one. */
export async function goAgain(
  client: Client,
  config: Config,
  before: { description: WorkflowExecutionDescription; outcome: Outcome },
  request: GoAgain,
): Promise<GoneAgain> {
  const { description, outcome } = before;
  const { id, to, by, key } = request;
  const isRetry = to === undefined;
  if (isRetry && outcome.phase === 'SUCCEEDED')
    refuse('RETRY_NOT_POSSIBLE', 'The run has succeeded.', { hint: 'Reset it to the state it should go on from.' });
  if (outcome.compensation && !request.despiteCompensation)
    refuse('RETRY_NOT_POSSIBLE', 'Its compensation has undone what the run did.', {
      hint: 'Start the journey anew. Or, if what it did is still there, say so: --despite-compensation in the terminal, "despiteCompensation": true over HTTP.',
    });
  const [runId, wanted] = visit(to?.visit) ?? [description.runId, undefined];
  const execution = { workflowId: id, runId };
  const source = readSource(client, execution, config.temporal.taskQueue);
  const { input } = await source.catch((error) => Promise.reject(asProblem(error)));
  if (input.info.scheduled || input.info.handler)
    refuse('RETRY_NOT_POSSIBLE', 'Whoever started the run decides what follows it.', {
      hint: 'For a schedule: schedule run-now. For a pipeline: pipeline resolve.',
    });
  const { known } = await momentOf(client, execution, null);
  const chosen =
    wanted === undefined
      ? isRetry
        ? failedVisit(known, outcome, input.definition)
        : known.findLast(({ state }) => state === to?.state)
      : known.find(({ n }) => n === wanted);
  if (!chosen) return refuse('MOMENT_UNKNOWN', momentHint(known, to?.state));
  const { moment } = await momentOf(client, execution, chosen.n);
  if (!moment) return refuse('MOMENT_UNKNOWN');
  const definition = by?.definition ?? input.definition;
  const unfit = by && misfit(input.definition, definition, moment.position.root, input.bindings !== undefined);
  if (unfit)
    refuse('MOVE_NOT_POSSIBLE', `${definition.name} ${definition.version} does not fit: ${unfit.why}`, {
      pointer: unfit.pointer,
    });
  const newId = await againId(
    client,
    config,
    id,
    key ?? (isRetry ? `retry ${visitOf(runId, chosen.n)}` : randomUUID()),
  );
  const next = await againInput(client, config, { input, moment, definition, newId, isRetry, of: id });
  checkSize(next);
  const memo = memoOf(description);
  const repeated = await start(client, config, next, by ? movedMemo(memo, by) : memo);
  const described = await client.workflow.getHandle(newId).describe();
  return { run: describedView(described), state: chosen.state, repeated };
}

/** `<runId>:<n>`, as the history names a visit. */
function visit(text: string | undefined): [runId: string, n: number] | undefined {
  if (text === undefined) return undefined;
  const [, runId, n] = /^([\w-]{1,64}):(\d{1,7})$/.exec(text) ?? refuse('MOMENT_UNKNOWN', 'It is no visit of a state.');
  return [runId!, Number(n)];
}

/** Asks a worker where the run stood; it replays the run for that. */
async function momentOf(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  n: number | null,
): Promise<Moments> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const ask = () => handle.query<Moments, [number | null]>(names.moment, n);
  // A worker that still keeps the run as it was when it was terminated forgets it first.
  const asked = client.withDeadline(Date.now() + replayMs, () =>
    ask().catch((error: Error) => (error.message.includes(replayedNext) ? ask() : Promise.reject(error))),
  );
  return await asked.catch((error) => {
    if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker said where the run stood.');
    throw asProblem(error);
  });
}

function momentHint(known: readonly TrailEntry[], state: string | undefined): string {
  if (known.length === 0)
    return 'No worker can tell where the run stood: it has too many branches, or ended before it entered a state.';
  const states = [...new Set(known.map((it) => it.state))].slice(-20).join(', ');
  return state === undefined
    ? `It was last in ${states}.`
    : `The run was not in '${state}' of late; it was in ${states}.`;
}

/**
 * The visit that a retry repeats: the state that could not do its work. A `fail` state only says what was found out before it, so then it is
 * the last task on the way there.
 */
export function failedVisit(
  known: readonly TrailEntry[],
  { error }: Pick<Outcome, 'error'>,
  definition: Definition,
): TrailEntry | undefined {
  const types = new Map<string, Set<string>>();
  for (const { id, state } of allStates(definition)) types.set(id, (types.get(id) ?? new Set()).add(state.type));
  const is = (type: string) => (it: TrailEntry) => types.get(it.state)?.has(type) === true;
  const named = known.findLast(({ state }) => state === error?.state);
  if (named) return named;
  const failed = known.findLastIndex(is('fail'));
  if (failed === -1) return known.at(-1);
  const way = known.slice(0, failed);
  const { frame } = known[failed]!;
  return way.findLast((it) => it.frame === frame && is('task')(it)) ?? way.findLast(is('task')) ?? known[0];
}

interface Again {
  readonly input: JourneyInput;
  readonly moment: Moment;
  readonly definition: Definition;
  readonly newId: string;
  readonly isRetry: boolean;
  /** The run before. */
  readonly of: string;
}

async function againInput(client: Client, config: Config, again: Again): Promise<JourneyInput> {
  const { input, moment, definition, newId, isRetry, of } = again;
  const { startedAt: _, callbacks: __, keys, ...info } = input.info;
  const { carried: ___, request: ____, ...rest } = input;
  const callbacks = await callbackUrls(client, config, newId, definition);
  const { execution } = input.bindings
    ? compensationJourney(definition)
    : withinDuration(definition, input.limits.duration);
  const { deadlineAt: _____, ...position } = withoutRequests(moment.position as unknown as Json) as unknown as Position;
  return {
    ...rest,
    interpreter: interpreterVersion,
    definition,
    info: {
      ...info,
      id: newId,
      ...(definition !== input.definition && { config: declaredConfig(definition, config.platform) }),
      ...(callbacks && { callbacks }),
      // The call that failed may have happened: whoever remembers its key answers it once.
      ...(isRetry && { keys: keys ?? info.id }),
    },
    context: {},
    carried: {
      position: {
        ...position,
        attributes: { ...position.attributes, [link]: of },
        ...(execution && { deadlineAt: Date.now() + execution.maxDurationSec * 1000 }),
      },
      updatedAt: Date.now(),
      kept: [],
      answers: [],
      again: true,
    },
  };
}

/** The requests that frames worked on are long answered. */
function withoutRequests(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutRequests);
  if (!isObject(value)) return value;
  const isFrame = 'entered' in value && 'at' in value;
  const entries = Object.entries(value).filter(([key]) => !(isFrame && key === 'request'));
  return Object.fromEntries(entries.map(([key, it]) => [key, key === 'context' ? it : withoutRequests(it as Json)]));
}

async function againId(client: Client, config: Config, id: string, key: string): Promise<string> {
  const { current } = await keySecrets(client, config);
  return typeable(keyedJourneyId(current, 'again', id, key));
}

function memoOf({ memo }: WorkflowExecutionDescription): Partial<RunMemo> {
  const { inputHash: _, ...journey } = (memo?.journey ?? {}) as RunMemo;
  return journey;
}

/** True if the run was there already. */
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
    staticSummary: `${definition.name} ${definition.version}, goes on from ${root.at}`,
    staticDetails: `It follows the run \`${String(attributes[link])}\`.`,
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
