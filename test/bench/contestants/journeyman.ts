import { fileURLToPath } from 'node:url';
import type { Config } from '../../../src/config/config-types.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { startOptions } from '../../../src/temporal/runs/run-start-options.js';
import { createBinding } from '../../../src/temporal/schedules/bindings/create-binding.js';
import { readArguments } from '../../../workflows/journey/build-workflow-input.js';
import { itemsOf } from '../../support/map-journey.js';
import { prepared } from '../../support/prepared.js';
import { nodeProcess } from '../processes.js';
import type { Contestant, Flow, Site } from './contestant.js';
import { journeyOf } from './journeys.js';

/** The command line of this build. */
export const commandLine = fileURLToPath(new URL('../../../../src/cli/main.js', import.meta.url));

/** The environment of our processes at a site. */
export function environmentOf(site: Pick<Site, 'address' | 'taskQueue'>): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: site.address,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: site.taskQueue,
    JOURNEYMAN_LOG_LEVEL: 'error',
    JOURNEYMAN_LIMITS_SCHEDULE_INTERVAL_SEC: '1',
  };
}

/** The configuration of clients at a site. */
export function configOf(site: Pick<Site, 'address' | 'taskQueue'>): Config {
  return loadConfig({ env: environmentOf(site) });
}

/** Journeys: one workflow that interprets the document in its input. */
export const journeyman: Contestant = {
  name: 'journeyman',
  title: 'Journeyman',
  can: () => true,
  launch: (site) => nodeProcess([commandLine, 'worker'], 'Worker polls', environmentOf(site)),
  start(site, flow, id) {
    const definition = journeyOf(flow, site.serviceUrl);
    const request = { ...prepared(definition, bodyOf(flow)), mode: 'async' as const, caller: 'bench' };
    return { type: definition.name, ...startOptions({ id }, request, configOf(site)) };
  },
  /** A binding as created by a journey for a customer. */
  async schedule(site, name, everySeconds, startAt) {
    const { args } = journeyman.start(site, { kind: 'nothing' }, name);
    const request = {
      journeyName: 'nothing',
      journeyVersion: '1.0.0',
      startStateId: 'done',
      subjectId: name,
      startAt: startAt.toISOString(),
      interval: `PT${everySeconds}S`,
      maxRuns: 1000,
      onExisting: 'fail' as const,
      creator: `bench/${name}`,
      context: {},
    };
    const memo = { links: true, cancellable: true, tags: [], definition: '' };
    const input = readArguments(args)!;
    const created = await createBinding(site.client, request, { input, memo, taskQueue: site.taskQueue });
    return created.scheduleId;
  },
};

function bodyOf(flow: Flow) {
  return flow.kind === 'each' ? { of: itemsOf(flow.items) } : {};
}
