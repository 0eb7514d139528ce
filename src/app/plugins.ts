import { type PluginLog, pluginEffect } from '../../activities/plugin/effect.js';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import { readPlugins } from '../library/plugins.js';
import type { Perform } from '../tasks/effects.js';

/** What runs the tasks of the configured plugins in this process. */
export async function pluginsOf(config: Config, log: PluginLog): Promise<Perform> {
  const secret = secretReader(config.secrets);
  return pluginEffect(
    await readPlugins(config.plugins.modules, config.source.baseDir),
    async (ref) => secret(ref).reveal(),
    log,
  );
}
