import type { JsonObject } from '../json/value.js';
import { type Audit, type AuditEvent, mainOrchestrator } from './audit.js';
import type { Answered, Pipelines } from './pipelines.js';

/** Pipelines in the hands of somebody: whatever they do to them is written down. `requestId` is the request or command that did it. */
export function auditedPipelines(pipelines: Pipelines, audit: Audit, by: string, requestId: string): Pipelines {
  type Told = Extract<AuditEvent, `pipeline.${string}`>;
  const tell = async (event: Told, pipeline: string, detail: JsonObject): Promise<void> => {
    await audit.record({ event, orchestratorId: mainOrchestrator, pipeline, by: { caller: by }, requestId, detail });
  };
  /** What was so already is no change. */
  const told = async (event: Told, name: string, answered: Answered, detail: JsonObject = {}): Promise<Answered> => {
    const { result, run } = answered;
    if (result !== 'unchanged' && result !== 'duplicate')
      await tell(event, name, { ...detail, result, ...(run !== undefined && { run }) });
    return answered;
  };
  return {
    list: () => pipelines.list(),
    show: (name) => pipelines.show(name),
    runs: (name, page) => pipelines.runs(name, page),
    events: (name, topic, query) => pipelines.events(name, topic, query),
    publish: (name, event) => pipelines.publish(name, event),
    trigger: async (name, handler, request) =>
      told('pipeline.triggered', name, await pipelines.trigger(name, handler, request), { handler }),
    pause: async (name, note) => told('pipeline.paused', name, await pipelines.pause(name, note), { reason: note }),
    resume: async (name) => told('pipeline.resumed', name, await pipelines.resume(name)),
    resolve: async (name, run, how) =>
      told('pipeline.resolved', name, await pipelines.resolve(name, run, how), { run, how }),
    async deploy(entry, deployer) {
      const deployed = await pipelines.deploy(entry, deployer);
      const { name, version, result, schedules } = deployed;
      if (result !== 'unchanged' || schedules.length > 0)
        await tell('pipeline.deployed', name, { version, hash: entry.hash, deployer, result, schedules });
      return deployed;
    },
    async removeOthers(deployer, kept) {
      const removed = await pipelines.removeOthers(deployer, kept);
      for (const { name, problem } of removed) if (!problem) await tell('pipeline.removed', name, { deployer });
      return removed;
    },
  };
}
