import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ConnectionOf } from '../../../activities/kafka-publish/read-kafka-connection-settings.js';
import { KafkaPoller } from '../../../activities/kafka-source/source-poller.js';
import { ProblemError } from '../../base/problems/problem.js';
import {
  PipelineSource,
  pipelinesWithSources,
  sourcesOfPipeline,
} from '../../temporal/pipelines/pipeline-sources-for-workers.js';
import type { SourceGauges } from '../telemetry/metrics.js';

/** Interval between two reads of the deployed pipelines. */
const everyMs = 5_000;

/** Reads the sources of the deployed pipelines of a task queue. Workers share the partitions of a source: each is a member of its group. */
export class SourcePollers {
  private readonly pollers = new Map<string, KafkaPoller>();
  private timer: NodeJS.Timeout | undefined;
  private syncing: Promise<void> = Promise.resolve();
  private isStopped = false;
  private isFailing = false;

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly connectionOf: ConnectionOf,
    private readonly log: Pick<Logger, 'warn' | 'info'>,
  ) {}

  start(): this {
    const again = () => {
      this.syncing = this.sync()
        .then(() => {
          this.isFailing = false;
        })
        .catch((error) => {
          // An unavailable server is reported by the worker's health check.
          const isAway = error instanceof ProblemError && error.problem.code === 'TEMPORAL_UNAVAILABLE';
          if (!this.isFailing && !isAway) this.log.warn({ err: error }, 'The sources of pipelines could not be listed');
          this.isFailing = true;
        })
        .finally(() => {
          if (!this.isStopped) this.timer = setTimeout(again, everyMs).unref();
        });
    };
    again();
    return this;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.syncing;
    await Promise.all([...this.pollers.values()].map((poller) => poller.stop()));
    this.pollers.clear();
  }

  async states(): Promise<SourceGauges[]> {
    return await Promise.all(
      [...this.pollers.values()].map(async (poller) => {
        const { pipeline, topic } = poller.source;
        return { pipeline, topic, isUp: poller.failure === undefined, lag: await poller.lag(), taken: poller.taken };
      }),
    );
  }

  /** Starts and stops pollers to match the deployed documents. A pipeline that does not answer keeps its pollers. */
  private async sync(): Promise<void> {
    const wanted = new Set<string>();
    for (const pipeline of await pipelinesWithSources(this.client, this.taskQueue)) {
      const sources = await sourcesOfPipeline(this.client, this.taskQueue, pipeline).catch(() => undefined);
      if (!sources)
        for (const [key, { source }] of this.pollers) {
          if (source.pipeline === pipeline) wanted.add(key);
        }
      for (const { topic, kafka } of sources ?? []) {
        const key = JSON.stringify([pipeline, topic, kafka]);
        wanted.add(key);
        if (this.pollers.has(key) || this.isStopped) continue;
        const port = new PipelineSource(this.client, this.taskQueue, pipeline, topic, kafka);
        const connection = () => this.connectionOf(kafka.connectionSecretRef);
        this.pollers.set(key, new KafkaPoller({ pipeline, topic, kafka }, connection, port, this.log));
      }
    }
    for (const [key, poller] of this.pollers) {
      if (wanted.has(key)) continue;
      this.pollers.delete(key);
      await poller.stop();
    }
  }
}
