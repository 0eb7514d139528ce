import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import { copy, type Json, own } from '../../src/base/json/value.js';
import { refuse } from '../../src/base/problems/problem.js';
import type { Perform } from '../../src/language/tasks/effect-interface.js';
import type { Plugin, PluginProblem } from '../../src/language/tasks/plugin/plugin-interface.js';
import type { PluginAnswer, PluginRequest } from '../../src/language/tasks/plugin/plugin-task.js';
import { unlessAborted } from '../reject-on-abort.js';

/** An error by which a plugin ends the run with its own problem. */
class Reported extends Error {
  constructor(readonly problem: PluginProblem) {
    super(problem.title);
  }
}

/** The logger of plugins, in pino's shape. */
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
    // Not AbortSignal.timeout: inside AbortSignal.any, Node 20 may collect it before it fires.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error('timed out')), timeoutMs);
    const within = AbortSignal.any([signal, deadline.signal]);
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
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A result that the server would reject counts as a crash: the run would never receive it, and the plugin would be called forever. */
function fitting(answer: PluginAnswer): PluginAnswer {
  const bytes = jsonBytes(answer);
  return bytes <= maxPayloadBytes
    ? answer
    : { crash: `its result has ${bytes} bytes; the limit is ${maxPayloadBytes}` };
}

/** The result of a plugin as JSON; null without a value. */
function plain(value: unknown): Json {
  return copy(JSON.parse(JSON.stringify(value ?? null)) as Json);
}

/** Checks a plugin's problem: not every plugin is compiled against our types. */
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

/** The class of an error, never its message, which may quote the plugin's input. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'it threw no Error';
}
