import type { Config } from '../config/config.js';
import { Leftovers } from '../scenarios/live/leftovers.js';
import type { Lane } from './test-session.js';

/** Scenarios on a real server mostly wait, so several are played side by side. */
const sideBySide = 3;

/** A real server with workers and gateways for so many scenarios; loaded only when asked for. */
export async function liveLanes(
  config: Config,
  scenarios: number,
  timeScale?: number,
): Promise<{ lanes: Lane[]; stop(): Promise<void> }> {
  const [{ LiveStack }, { LiveRunner }, { LivePipelineRunner }, { createLog }] = await Promise.all([
    import('../app/live-stack.js'),
    import('../scenarios/live/runner.js'),
    import('../scenarios/live/pipeline-runner.js'),
    import('../app/log.js'),
  ]);
  const log = createLog({ ...config, log: { ...config.log, level: 'fatal' } });
  const first = await LiveStack.start(config, log);
  const wanted = Math.max(1, Math.min(sideBySide, scenarios));
  const others = Array.from({ length: wanted - 1 }, () => LiveStack.start(config, log, first.address));
  const stacks = [...(await Promise.all(others)), first];
  const leftovers = new Leftovers();
  // A server of its own goes with everything that is on it.
  const ignore = config.temporal.address === undefined ? () => undefined : onInterrupt(() => removeAll(leftovers));
  return {
    lanes: stacks.map((stack) => ({
      journeys: new LiveRunner({ stack, leftovers, ...(timeScale !== undefined && { timeScale }) }),
      pipelines: new LivePipelineRunner(stack, leftovers),
    })),
    stop: async () => {
      ignore();
      for (const stack of stacks) await stack.stop();
    },
  };
}

async function removeAll(leftovers: Leftovers): Promise<void> {
  process.stderr.write('Removing what was being played; once more ends at once.\n');
  await leftovers.removeAll();
}

/** Does something before the process ends that is told to; answers what takes that back. */
function onInterrupt(work: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let again = false;
  const told = () => {
    if (again) process.exit(130);
    again = true;
    void work().finally(() => process.exit(130));
  };
  for (const signal of signals) process.on(signal, told);
  return () => {
    for (const signal of signals) process.off(signal, told);
  };
}
