import { type PolledSource, sourceFault } from '../../activities/kafka-source/source-poller.js';
import type { Config } from '../config/config-types.js';
import type { PipelineEntry } from '../service/library-interface.js';
import { taskConnections } from './task-connections.js';

/** A source, and the reason why it cannot be read from this machine. */
export interface CheckedSource extends PolledSource {
  readonly fault?: string;
}

/** Checks each source of these pipelines, without joining its group. */
export async function checkSources(config: Config, pipelines: readonly PipelineEntry[]): Promise<CheckedSource[]> {
  const sources = pipelines.flatMap(({ definition: { name, topics } }) =>
    Object.entries(topics).flatMap(([topic, { source }]) => (source ? [{ pipeline: name, topic, ...source }] : [])),
  );
  if (sources.length === 0) return [];
  const connections = taskConnections(config, { warn: () => undefined });
  try {
    return await Promise.all(
      sources.map(async (source) => {
        const fault = await sourceFault(connections.kafka, source.kafka);
        return { ...source, ...(fault !== undefined && { fault }) };
      }),
    );
  } finally {
    await connections.close();
  }
}
