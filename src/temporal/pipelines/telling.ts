import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { pipelineId, pipelineNames } from '../../../workflows/pipeline-input.js';
import { jsonBytes } from '../../json/size.js';
import type { Json } from '../../json/value.js';
import type { Incoming } from '../../pipelines/incoming.js';
import type { Answer } from '../../pipelines/message.js';
import { isCutOff, isNotFound, isUnanswered } from '../failures.js';
import { revivePipeline } from './revive.js';
import { unanswered } from './unanswered.js';

/** A pipeline answers within one workflow task. */
const patienceMs = 15_000;
/** A server takes ten updates of one workflow at a time, from all gateways together. */
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
 * Tells pipelines what happened. A server allows a workflow few updates at once and two thousand in its life, so whatever comes while
 * others are under way goes along with the next one.
 */
export class Telling {
  private readonly queues = new Map<string, Queue>();

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
  ) {}

  tell(name: string, message: Incoming): Promise<Answer> {
    const queue = this.queues.get(name) ?? { waiting: [], sending: 0 };
    this.queues.set(name, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ message, bytes: jsonBytes(message as unknown as Json), resolve, reject });
      // Whatever else this turn of the event loop brings goes along.
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
    void this.send(
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

  private send(name: string, messages: readonly Incoming[]): Promise<Answer[]> {
    return updatePipeline(this.client, this.taskQueue, name, pipelineNames.take, messages);
  }
}

/**
 * Tells a pipeline something that may be repeated, and waits for the answer. An execution may end meanwhile: by continuing as new, or because
 * somebody ended it. Then the next one is told.
 */
export async function updatePipeline<T>(
  client: Client,
  taskQueue: string,
  name: string,
  update: string,
  argument: unknown,
): Promise<T> {
  const until = Date.now() + patienceMs;
  const handle = client.workflow.getHandle(pipelineId(name));
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.withDeadline(until, () => handle.executeUpdate<T, [unknown]>(update, { args: [argument] }));
    } catch (error) {
      const isOver = isNotFound(error);
      if (Date.now() >= until || !(isOver || isCutOff(error) || isUnanswered(error)))
        throw await unanswered(client, name, error, { publisher: true });
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
