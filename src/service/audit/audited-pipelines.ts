import type { JsonObject } from '../../base/json/value.js';
import type { Pipelines, RequestResult } from '../pipelines-interface.js';
import { type Audit, type AuditEvent, mainOrchestrator } from './audit-interface.js';

/** Wraps pipelines so that changes are recorded in the audit log. `requestId` identifies the request or command. */
export function auditedPipelines(pipelines: Pipelines, audit: Audit, by: string, requestId: string): Pipelines {
  type PipelineEvent = Extract<AuditEvent, `pipeline.${string}`>;
  const record = async (event: PipelineEvent, pipeline: string, detail: JsonObject): Promise<void> => {
    await audit.record({ event, orchestratorId: mainOrchestrator, pipeline, by: { caller: by }, requestId, detail });
  };
  /** Records an answer unless it changed nothing. */
  const recordAnswer = async (
    event: PipelineEvent,
    name: string,
    answered: RequestResult,
    detail: JsonObject = {},
  ): Promise<RequestResult> => {
    const { result, run } = answered;
    if (result !== 'unchanged' && result !== 'duplicate')
      await record(event, name, { ...detail, result, ...(run !== undefined && { run }) });
    return answered;
  };
  return {
    list: () => pipelines.list(),
    show: (name) => pipelines.show(name),
    runs: (name, page) => pipelines.runs(name, page),
    events: (name, topic, query) => pipelines.events(name, topic, query),
    publish: (name, event) => pipelines.publish(name, event),
    trigger: async (name, handler, request) =>
      recordAnswer('pipeline.triggered', name, await pipelines.trigger(name, handler, request), { handler }),
    pause: async (name, note) =>
      recordAnswer('pipeline.paused', name, await pipelines.pause(name, note), { reason: note }),
    resume: async (name) => recordAnswer('pipeline.resumed', name, await pipelines.resume(name)),
    resolve: async (name, run, how) =>
      recordAnswer('pipeline.resolved', name, await pipelines.resolve(name, run, how), { run, how }),
    async deploy(entry, deployer, takeOver) {
      const deployed = await pipelines.deploy(entry, deployer, takeOver);
      const { name, version, result, schedules } = deployed;
      if (result !== 'unchanged' || schedules.length > 0)
        await record('pipeline.deployed', name, { version, hash: entry.hash, deployer, result, schedules });
      return deployed;
    },
    async removeOthers(deployer, kept) {
      const removed = await pipelines.removeOthers(deployer, kept);
      for (const { name, problem } of removed) if (!problem) await record('pipeline.removed', name, { deployer });
      return removed;
    },
  };
}
