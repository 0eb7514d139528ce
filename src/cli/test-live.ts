import type { Config } from '../config/config.js';
import type { ScenarioRunner } from '../scenarios/observation.js';

/** Scenarios on a real server mostly wait, so several are played side by side. */
const liveLanes = 3;

/** A real server with workers and gateways; loaded only when asked for. */
export async function liveRunners(
  config: Config,
  timeScale?: number,
): Promise<{ runners: ScenarioRunner[]; stop(): Promise<void> }> {
  const [{ LiveStack }, { LiveRunner }, { createLog }] = await Promise.all([
    import('../app/live-stack.js'),
    import('../scenarios/live/runner.js'),
    import('../app/log.js'),
  ]);
  const log = createLog({ ...config, log: { ...config.log, level: 'fatal' } });
  const first = await LiveStack.start(config, log);
  const others = Array.from({ length: liveLanes - 1 }, () => LiveStack.start(config, log, first.address));
  const stacks = [...(await Promise.all(others)), first];
  return {
    runners: stacks.map((stack) => new LiveRunner({ stack, ...(timeScale !== undefined && { timeScale }) })),
    stop: async () => {
      for (const stack of stacks) await stack.stop();
    },
  };
}
