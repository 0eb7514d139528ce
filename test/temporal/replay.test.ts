import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { version } from '../../src/config/package-info.js';
import { recordScenario } from '../../src/scenarios/record/record-scenario.js';
import { recordedRun } from '../../src/temporal/runs/history/read-run-from-history.js';
import { type Backend, backend } from './support/backend.js';
import { bundled } from './support/encryption.js';
import { recordings } from './support/recordings.js';
import { type Rig, rig } from './support/rig.js';

/** Histories are stored as the server's protobuf. */
const { History } = proto.temporal.api.history.v1;
const folder = fileURLToPath(new URL('../histories', import.meta.url));
const codePath = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const stored = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.history'))
  : [];

describe.runIf(stored.length > 0)('recorded histories', () => {
  it.each(stored)('%s replays', async (name) => {
    const history = History.decode(readFileSync(`${folder}/${name}`));
    await Worker.runReplayHistory({ workflowBundle: { codePath } }, history);
  });
});

describe('new histories', () => {
  let rigged: Rig;
  let service: Backend;
  beforeAll(async () => {
    service = await backend();
    const http = createHttpClient({
      http: loadConfig({ env: {} }).http,
      log: { warn: () => undefined, debug: () => undefined },
      loopbackAllowed: true,
    });
    rigged = await rig({ activities: asActivities({ http: httpEffect(http) }), maxCachedWorkflows: 0 });
  });
  afterAll(async () => {
    await rigged.stop();
    await service.close();
  });

  it.each(Object.keys(recordings))('%s runs without a cache, and replays', async (name) => {
    const { journey, body = {}, during, recorded } = recordings[name]!;
    const started = await rigged.start(journey(service.url), body);
    await during?.(rigged, started.journeyId);
    const id = (await recorded?.(rigged)) ?? started.journeyId;
    const handle = rigged.client.workflow.getHandle(id);
    await handle.result().catch(() => undefined);
    const history = await handle.fetchHistory();
    await Worker.runReplayHistory(bundled(rigged.config), history, id);
    expect((await handle.describe()).status.name).not.toBe('RUNNING');
    // Histories of a release are permanent: RECORD_HISTORIES=1 writes them once, for the release.
    if (process.env.RECORD_HISTORIES) {
      mkdirSync(`${folder}/${version}`, { recursive: true });
      writeFileSync(`${folder}/${version}/${name}.history`, History.encode(history).finish());
    }
  });

  it('R15-record the scenario of a run on a server passes', async () => {
    const { journey, body = {}, during } = recordings['wait-step']!;
    const { journeyId } = await rigged.start(journey(service.url), body);
    await during?.(rigged, journeyId);
    await rigged.client.workflow.getHandle(journeyId).result();
    const run = await recordedRun(rigged.client, journeyId);
    const { text } = await recordScenario(run, run.input.definition, './it.journey.yaml', 'it');
    expect(text).toContain('step: ask');
  });
});
