import { type PluginLog, pluginEffect } from '../../activities/plugin/plugin-effect.js';
import type { Config } from '../config/config-types.js';
import { secretReader } from '../config/read-secret.js';
import type { Perform } from '../language/tasks/effect-interface.js';
import { readPlugins } from '../library/load-plugins.js';

/** Runs tasks of the configured plugins in this process. */
export async function pluginTaskEffect(config: Config, log: PluginLog): Promise<Perform> {
  const secret = secretReader(config.secrets);
  return pluginEffect(
    await readPlugins(config.plugins.modules, config.source.baseDir),
    async (ref) => secret(ref).reveal(),
    log,
  );
}
