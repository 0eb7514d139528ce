import type { TestProject } from 'vitest/node';
import { provideServer } from './global-setup.js';

/**
 * A server that keeps Schedules in its newer way, which Temporal is moving to: no workflow behind each, so it answers, drops and counts
 * differently. A server that does not know it yet takes the flags and keeps to the old way.
 */
const flags = [
  'enableChasm',
  'enableCHASMSchedulerSentinels',
  'enableCHASMSchedulerCreation',
  'enableCHASMSchedulerRouting',
];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return await provideServer(
    project,
    flags.flatMap((flag) => ['--dynamic-config-value', `history.${flag}=true`]),
  );
}
