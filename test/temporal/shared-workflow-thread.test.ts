import { randomUUID } from 'node:crypto';
import type { Worker as Thread } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interpreterVersion } from '../../src/engine/interpreter-version.js';
import { eventually } from '../support/eventually.js';
import { echo, endedRuns, job, jobRig, soon } from './support/jobs.js';
import { journeyOf, rig } from './support/rig.js';

/** Threads that were started since the test began, and those of them that have ended. */
let started: Thread[] = [];
let ended: Thread[] = [];
const watch = (thread: Thread) => {
  started.push(thread);
  thread.once('exit', () => ended.push(thread));
};

beforeEach(() => {
  [started, ended] = [[], []];
  process.on('worker', watch);
});
afterEach(() => {
  process.off('worker', watch);
});

describe('FLT-5 the workers of one process', () => {
  it('share a workflow thread, which ends with the last of them', async () => {
    const jobs = await jobRig();
    const other = await rig();
    expect(started).toHaveLength(1);
    const { jobId } = await jobs.jobs.create(
      job({ schedule: soon(), targetAction: { type: 'workflow_start', workflowId: 'echo', inputs: {} } }),
      'a',
    );
    expect(await endedRuns(jobs, jobId)).toMatchObject([{ result: { outcome: 'succeeded' } }]);
    await jobs.stop();
    expect(ended).toEqual([]);
    expect(await other.start(echo)).toMatchObject({ phase: 'SUCCEEDED' });
    await other.restartWorker();
    expect(await other.start(echo)).toMatchObject({ phase: 'SUCCEEDED' });
    await other.stop();
    expect(started).toHaveLength(2);
    expect(ended).toEqual(started);
  });

  it('use threads of their own where they poll one queue: both may have a run in their caches', async () => {
    const first = await rig();
    const { taskQueue } = first.config.temporal;
    const second = await rig({
      env: { TEMPORAL_TASK_QUEUE: taskQueue, JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue },
    });
    expect(started).toHaveLength(2);
    await first.stop();
    expect(ended).toEqual(started.slice(0, 1));
    expect(await second.start(echo)).toMatchObject({ phase: 'SUCCEEDED' });
    await second.stop();
    expect(ended).toEqual(started);
  });

  it('R3-33: run no dispatch on the queue of journeys, and nothing else on the queue of an orchestrator', async () => {
    const { rigged, stop, audit } = await jobRig();
    const { client, config } = rigged;
    const { taskQueue } = config.temporal;
    const envelope = {
      orchestratorId: 'main',
      targetAction: { type: 'workflow_start', workflowId: 'echo', inputs: {} },
    };
    const start = (workflowType: string, queue: string, args: unknown[]) =>
      client.workflow.start(workflowType, { workflowId: `astray-${randomUUID()}`, taskQueue: queue, args });
    const journey = [{}, { interpreter: interpreterVersion, definition: journeyOf(echo) }];
    const astray = await Promise.all([
      start('journeyman.dispatch', taskQueue, [envelope]),
      start('journeyman.dispatch', taskQueue, journey),
      start('echo', `${taskQueue}.main`, journey),
      start('journeyman.run-now', `${taskQueue}.main`, ['x', 'job']),
      start('journeyman.maintenance', `${taskQueue}.main`, [1]),
    ]);
    for (const handle of astray) {
      const types = async () =>
        (await handle.fetchHistory()).events!.map((event) =>
          Object.keys(event).find((key) => key.endsWith('Attributes')),
        );
      await eventually(types, (it) => it.includes('workflowTaskFailedEventAttributes'));
      // The task has changed nothing, and is retried.
      expect(new Set(await types())).toEqual(
        new Set([
          'workflowExecutionStartedEventAttributes',
          'workflowTaskScheduledEventAttributes',
          'workflowTaskStartedEventAttributes',
          'workflowTaskFailedEventAttributes',
        ]),
      );
      await handle.terminate();
    }
    expect(audit).toEqual([]);
    await stop();
  });
});
