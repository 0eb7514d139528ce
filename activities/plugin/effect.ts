import { jsonBytes, payloadBytes } from '../../src/json/size.js';
import { copy, type Json, own } from '../../src/json/value.js';
import { refuse } from '../../src/problems/problem.js';
import type { Perform } from '../../src/tasks/effects.js';
import type { PluginAnswer, PluginRequest } from '../../src/tasks/plugin/index.js';
import type { Plugin, PluginProblem } from '../../src/tasks/plugin/plugin.js';
import { unlessAborted } from '../unless-aborted.js';

/** An error by which a plugin ends the run with a problem of its own. */
class Reported extends Error {
  constructor(readonly problem: PluginProblem) {
    super(problem.title);
  }
}

/** The part of a logger that plugins need; pino's shape. */
export interface PluginLog {
  error(fields: object, message: string): void;
}

/** The effect `plugin`: runs the plugins of this process. */
export function pluginEffect(
  plugins: readonly Plugin[],
  secret: (ref: string) => Promise<string>,
  log: PluginLog,
): Perform {
  const byKind = new Map(plugins.map((plugin) => [plugin.kind, plugin]));
  return async (input, { signal }) => {
    const { plugin: kind, input: fields, timeoutMs, ...rest } = input as unknown as PluginRequest;
    const plugin = byKind.get(kind) ?? refuse('PLUGIN_MISSING', `This process has no plugin ${kind}.`);
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const problem = (it: PluginProblem): Error => new Reported(wellFormed(it));
    const work = async () => await plugin.run(copy(fields), { ...rest, signal: within, secret, problem });
    try {
      return fitting({ result: plain(await unlessAborted(work(), within)) });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof Reported) return fitting({ problem: { ...error.problem } });
      const message = within.aborted ? `it took longer than ${timeoutMs} ms` : nameOf(error);
      log.error({ plugin: kind, state: rest.stateId, err: error }, 'A plugin failed');
      return { crash: message };
    }
  };
}

/** What the server would not take is a crash like any other: the run would never hear of it, and the plugin be called for ever. */
function fitting(answer: PluginAnswer): PluginAnswer {
  const bytes = jsonBytes(answer);
  return bytes <= payloadBytes ? answer : { crash: `its result has ${bytes} bytes; the limit is ${payloadBytes}` };
}

/** Whatever a plugin gives, as JSON; without a value, null. */
function plain(value: unknown): Json {
  return copy(JSON.parse(JSON.stringify(value ?? null)) as Json);
}

/** A problem that a run can end with. Plugins are not all compiled against our types. */
function wellFormed(it: PluginProblem): PluginProblem {
  const given = plain(it);
  const text = (name: string) => {
    const value = own(given, name);
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const {
    code = '',
    title = code,
    ...more
  } = { ...text('code'), ...text('title'), ...text('type'), ...text('detail') };
  if (code === '') throw new TypeError('A problem needs a code.');
  const status = own(given, 'status');
  return { code, title, ...more, ...(typeof status === 'number' && { status }) };
}

/** The kind of an error, never its message, which may quote what the plugin got. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'it threw no Error';
}
