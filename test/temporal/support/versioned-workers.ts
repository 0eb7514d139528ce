import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { inject } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { connect } from '../../../src/temporal/connection.js';
import { eventually } from '../../support/eventually.js';
import { useTestSecret } from './secret.js';
import { temporalCli } from './temporal-cli.js';
import { gatewayProcess, type WorkerProcess, workerProcess } from './worker-process.js';

const main = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));
const run = promisify(execFile);
const { EventType } = proto.temporal.api.enums.v1;

/** A response of the gateway. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** An installation with versioned workers from an operator's view: processes, the gateway, Temporal's CLI and ours. */
export interface VersionedInstallation {
  readonly name: string;
  readonly client: Client;
  post(path: string, body?: JsonObject): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Starts workers of a build. */
  workers(buildId: string, count: number): Promise<WorkerProcess[]>;
  /** Runs `temporal worker deployment …` for this deployment. */
  deployment(...args: string[]): Promise<void>;
  /** Runs `journeyman …` with the configuration for a build. */
  journeyman(buildId: string, ...args: string[]): Promise<string>;
  /** The build ids that completed the workflow tasks of a workflow's execution, in order, without repetitions. */
  buildsOf(workflowId: string, runId?: string): Promise<string[]>;
  /** Failed workflow tasks in the histories of all workflows of the installation, and the number of those workflows. */
  failedTasks(): Promise<{ failures: string[]; workflows: number }>;
  stop(): Promise<void>;
}

/** Starts the gateway of an installation without workers. */
export async function versionedInstallation(
  documents: Readonly<Record<string, string>>,
  configured: { behavior: string; more?: string },
): Promise<VersionedInstallation> {
  const name = `v${randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-versions-'));
  mkdirSync(join(folder, 'specs'));
  for (const [file, text] of Object.entries(documents)) writeFileSync(join(folder, 'specs', file), text);
  const config = join(folder, 'journeyman.config.yaml');
  writeFileSync(
    config,
    `library: { changedContent: allow }\ndeployment: { name: ${name}, behavior: ${configured.behavior} }\n${configured.more ?? ''}`,
  );
  const address = inject('temporalAddress');
  const env = { TEMPORAL_ADDRESS: address, JOURNEYMAN_CONFIG: config };
  const build = (buildId: string) => ({ ...env, JOURNEYMAN_DEPLOYMENT_BUILD_ID: buildId });
  const { client, close } = await connect(loadConfig({ env }));
  await useTestSecret(client);
  const gateway = await gatewayProcess({ ...build('a'), JOURNEYMAN_GATEWAY_PORT: '0' });
  const cli = await temporalCli();
  const started: WorkerProcess[] = [];
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, init);
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const headers = { 'content-type': 'application/json', 'x-passed': 'on' };
  const queues = `TaskQueue STARTS_WITH 'journeyman-${name}'`;
  return {
    name,
    client,
    get: (path) => ask(path, {}),
    post: (path, body = {}) => ask(path, { method: 'POST', headers, body: JSON.stringify(body) }),
    workers: async (buildId, count) => {
      const workers = await Promise.all(Array.from({ length: count }, () => workerProcess(build(buildId))));
      started.push(...workers);
      return workers;
    },
    deployment: async (...args) => {
      const all = ['worker', 'deployment', ...args, '--deployment-name', name, '--address', address, '--yes'];
      // The server registers a version when its workers poll.
      await eventually(
        () => run(cli, all),
        () => true,
      );
    },
    journeyman: async (buildId, ...args) => {
      const done = run(process.execPath, [main, ...args], { cwd: folder, env: { ...process.env, ...build(buildId) } });
      // `doctor` exits with 1 if anything is wrong on this machine.
      const { stdout } = await done.catch((error: { stdout: string }) => error);
      return stdout;
    },
    buildsOf: async (workflowId, runId) => {
      const { events = [] } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const builds = (events ?? []).flatMap(
        (it) => it.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId ?? [],
      );
      return builds.filter((it, i) => it !== builds[i - 1]);
    },
    failedTasks: async () => {
      const failures: string[] = [];
      let workflows = 0;
      for await (const { workflowId, runId, type } of client.workflow.list({ query: queues })) {
        workflows++;
        const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
        for (const { eventType, workflowTaskFailedEventAttributes: failed } of events ?? [])
          if (eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED)
            failures.push(`${type} ${workflowId}: ${failed?.cause} ${failed?.failure?.message}`);
      }
      return { failures, workflows };
    },
    stop: async () => {
      await gateway.stop();
      await Promise.all(started.map((it) => it.stop()));
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
