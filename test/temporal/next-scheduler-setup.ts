import type { TestProject } from 'vitest/node';
import { provideServer } from './global-setup.js';

/**
 * A server with Temporal's newer scheduler (CHASM), which does not run a workflow per Schedule and therefore answers, drops and counts
 * differently. A server that does not support it yet accepts the flags and uses the old one.
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
