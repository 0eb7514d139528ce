import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { pipelineId, pipelineNames } from '../../../workflows/pipeline/workflow-contract.js';
import { jsonBytes } from '../../base/json/size.js';
import type { Json } from '../../base/json/value.js';
import type { Answer } from '../../pipelines/messages-and-effects.js';
import type { Incoming } from '../../pipelines/read-incoming-messages.js';
import { isNotFound, isUnanswered, isWithdrawnUpdate } from '../classify-temporal-errors.js';
import { unansweredProblem } from './explain-unanswered-request.js';
import { revivePipeline } from './revive-pipelines.js';

/** Longest wait for an answer, which takes one workflow task. */
const answerMs = 15_000;
/** Updates in flight. A server accepts ten of one workflow, from all gateways together. */
const atOnce = 2;
const mostMessages = 200;
const mostBytes = 1_000_000;

interface Waiting {
  readonly message: Incoming;
  readonly bytes: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Queue {
  readonly waiting: Waiting[];
  sending: number;
}

/**
 * Sends messages to pipelines in batches. A server allows a workflow few updates at once and two thousand in one execution, so messages
 * that arrive while others are in flight are sent together with the next update.
 */
export class PipelineClient {
  private readonly queues = new Map<string, Queue>();

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
  ) {}

  send(name: string, message: Incoming): Promise<Answer> {
    const queue = this.queues.get(name) ?? { waiting: [], sending: 0 };
    this.queues.set(name, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ message, bytes: jsonBytes(message as unknown as Json), resolve, reject });
      // Messages of the same turn of the event loop are sent together.
      setImmediate(() => this.next(name, queue));
    });
  }

  private next(name: string, queue: Queue): void {
    if (queue.sending >= atOnce) return;
    const batch = takeBatch(queue.waiting);
    if (batch.length === 0) {
      if (queue.sending === 0 && queue.waiting.length === 0) this.queues.delete(name);
      return;
    }
    queue.sending += 1;
    void this.sendBatch(
      name,
      batch.map(({ message }) => message),
    )
      .then(
        (answers) => {
          for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        queue.sending -= 1;
        this.next(name, queue);
      });
  }

  private sendBatch(name: string, messages: readonly Incoming[]): Promise<Answer[]> {
    return updatePipeline(this.client, this.taskQueue, name, pipelineNames.take, messages);
  }
}

/**
 * Sends an update that may be repeated, and waits for the answer. If the execution ends meanwhile, by continuing as new or from outside, the
 * update is sent to the next one.
 */
export async function updatePipeline<T>(
  client: Client,
  taskQueue: string,
  name: string,
  update: string,
  argument: unknown,
): Promise<T> {
  const until = Date.now() + answerMs;
  const handle = client.workflow.getHandle(pipelineId(name));
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.withDeadline(until, () => handle.executeUpdate<T, [unknown]>(update, { args: [argument] }));
    } catch (error) {
      const isOver = isNotFound(error);
      if (Date.now() >= until || !(isOver || isWithdrawnUpdate(error) || isUnanswered(error)))
        throw await unansweredProblem(client, name, error, { publisher: true });
      if (isOver) await revivePipeline(client, taskQueue, name);
      await sleep(Math.min(20 * attempt, 500));
    }
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  while (count < waiting.length && count < mostMessages) {
    bytes += waiting[count]!.bytes;
    if (count > 0 && bytes > mostBytes) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
