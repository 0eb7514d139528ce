import { randomUUID } from 'node:crypto';
import { readExactJson } from '../expressions/dataweave/index.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import { answer, type Mode } from './eval-run.js';
import { collapse } from './exact-json.js';

/** What holds for requests that do not say it themselves. */
interface Defaults {
  lang: string;
  mode: Mode;
  now?: string | undefined;
  uuid?: string | undefined;
}

/** One request per line in, one answer per line out, in the same order; a line that is not a request gets an answer too. */
export async function* answerLines(lines: AsyncIterable<string>, defaults: Defaults) {
  for await (const line of lines) {
    if (line.trim()) yield await answerLine(line, defaults);
  }
}

async function answerLine(line: string, defaults: Defaults): Promise<string> {
  let id: Json = null;
  try {
    const request = JSON.parse(line) as Json;
    if (!isObject(request)) throw new Error('a request is a JSON object');
    id = request.id ?? null;
    const { expr, now = defaults.now, uuid = defaults.uuid, mode = defaults.mode, lang = defaults.lang } = request;
    if (typeof expr !== 'string') throw new Error('expr must be a text');
    if (lang === 'dataweave' && request.bindings !== undefined) request.bindings = exactBindings(line);
    const { bindings = {} } = request;
    if (!isObject(bindings)) throw new Error('bindings must be an object');
    if (mode !== 'strict' && mode !== 'journey') throw new Error('mode must be strict or journey');
    if (typeof lang !== 'string') throw new Error('lang must be a text');
    const result = await answer({ lang, expr, bindings: withOutput(bindings), mode, env: environment(now, uuid) });
    if (result.ok) {
      const { raw } = result;
      return `{"id":${JSON.stringify(id)},"ok":true,"output":${collapse(raw)},"raw":${JSON.stringify(raw)}}`;
    }
    const { code, detail, title, line: row, column } = result.problem;
    return JSON.stringify({ id, ok: false, kind: result.kind, error: detail ?? title, code, line: row, column });
  } catch (error) {
    return JSON.stringify({ id, ok: false, kind: 'request', error: (error as Error).message });
  }
}

/** The bindings of a request with all their digits. */
function exactBindings(line: string): Json {
  const request = readExactJson(line);
  return isObject(request) ? (request.bindings ?? {}) : {};
}

/** `output` cannot be bound in the real engine, so requests made for both engines name it `outputBinding`. */
export function withOutput(bindings: JsonObject): JsonObject {
  const { outputBinding } = bindings;
  return outputBinding === undefined || bindings.output !== undefined
    ? bindings
    : { ...bindings, output: outputBinding };
}

/** Clock and ids for one evaluation: as given, else the real ones. */
export function environment(now: Json | undefined, uuid: Json | undefined) {
  const instant =
    now === undefined || now === null ? Date.now() : typeof now === 'number' ? now : Date.parse(String(now));
  if (!Number.isFinite(instant)) throw new Error('now must be an ISO 8601 instant, like 2031-05-06T07:08:09Z');
  return {
    now: instant,
    uuid: () => (typeof uuid === 'string' ? uuid : randomUUID()),
    random: Math.random,
  };
}
