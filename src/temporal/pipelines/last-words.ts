import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { type PipelineInput, pipelineId, pipelineNames, type Untaken } from '../../../workflows/pipeline-input.js';
import { refuse } from '../../problems/problem.js';
import { refuseUnknownPipeline } from '../../service/pipelines.js';
import { isFailing, isNotFound } from '../failures.js';
import { decodeArrayFromPayloads } from '../sdk.js';
import { eventsBackwards } from './history.js';
import { openReset, runBefore } from './resets.js';
import { unanswered } from './unanswered.js';

/** A pipeline that has ended is replayed from its first event. */
const recallMs = 25_000;

/** How the reason of a reset begins that is ours. */
export const startedAgain = 'It was started again, with all its events.';

type Event = temporal.api.history.v1.IHistoryEvent;
type Long = NonNullable<Event['eventId']>;

/** An execution that nobody can ask: its workflow tasks failed until it was ended, and for such a one the server takes no query. */
export interface Speechless {
  readonly runId: string;
  /** Where its last workflow task failed. */
  readonly failedAt: Long;
  /** Its last workflow task that did not fail. */
  readonly completedAt: Long;
  /** Whether we reset it already, and its workflow tasks failed again. */
  readonly again: boolean;
  /** What others were told that came after it. */
  readonly untaken: readonly Untaken[];
}

/**
 * What an ended execution could have gone on with. One that never did anything goes on with what it was given; one that was reset and ended
 * before it had asked what it forgot, with that.
 */
export async function lastWords(client: Client, name: string, runId: string): Promise<PipelineInput | Speechless> {
  const reset = await openReset(client, { workflowId: pipelineId(name), runId });
  if (reset) {
    const said = await lastWords(client, name, await runBefore(client, reset));
    const again = reset.failed && reset.reason.startsWith(startedAgain);
    const before = 'failedAt' in said ? { ...said, again: said.again || again } : said;
    return withUntaken(before, await Promise.all(reset.signals.map((it) => untakenOf(client, it))));
  }
  const untaken: Untaken[] = [];
  let given: PipelineInput | undefined;
  let completedAt: Long | undefined;
  let failedAt: Long | undefined;
  for await (const event of eventsBackwards(client, { workflowId: pipelineId(name), runId })) {
    // Whatever came while that task was under way stands after it: the execution was told, and had no time to listen.
    if (event.workflowTaskCompletedEventAttributes) {
      completedAt = event.eventId!;
      break;
    }
    if (event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes)
      failedAt ??= event.eventId!;
    if (event.workflowExecutionSignaledEventAttributes) untaken.unshift(await untakenOf(client, event));
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) [given] = (await decoded(client, started.input)) as [PipelineInput];
  }
  const whole = given ?? (await askEnded(client, name, runId));
  if (whole) return withUntaken(whole, untaken);
  if (failedAt && completedAt) return { runId, failedAt, completedAt, again: false, untaken: [] };
  return cannotGoOn(name, 'none of its workflow tasks failed');
}

function withUntaken<T extends PipelineInput | Speechless>(it: T, untaken: readonly Untaken[]): T {
  return untaken.length > 0 ? { ...it, untaken: [...(it.untaken ?? []), ...untaken] } : it;
}

/** A signal as it was sent. */
export async function untakenOf(
  client: Client,
  { workflowExecutionSignaledEventAttributes: it }: Event,
): Promise<Untaken> {
  return { signal: it?.signalName ?? '', args: await decoded(client, it?.input).catch(() => []) };
}

async function decoded({ options }: Client, input: temporal.api.common.v1.IPayloads | null | undefined) {
  return (await decodeArrayFromPayloads(options.loadedDataConverter, input?.payloads)) ?? [];
}

/** Undefined where the server says that the last workflow tasks failed. */
async function askEnded(client: Client, name: string, runId: string): Promise<PipelineInput | undefined> {
  const handle = client.workflow.getHandle(pipelineId(name), runId);
  try {
    return await client.withDeadline(Date.now() + recallMs, () => handle.query<PipelineInput>(pipelineNames.whole));
  } catch (error) {
    if (isFailing(error)) return undefined;
    throw isNotFound(error) ? refuseUnknownPipeline(name) : await unanswered(client, name, error);
  }
}

/** Temporal has what the pipeline knew, and does not help us to it. */
export function cannotGoOn(name: string, why: string): never {
  refuse(
    'PIPELINE_CANNOT_GO_ON',
    `Temporal does not let the pipeline ${name} go on from where its tasks failed: ${why}.`,
  );
}
