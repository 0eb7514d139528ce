import type { Definition } from '../../definition/definition.js';
import type { Effect } from '../../engine/host.js';
import { isObject, type Json, own } from '../../json/value.js';
import { vocabulary } from '../../language/vocabulary.js';
import type { Reply } from '../../tasks/virtual.js';
import { asSent } from '../call-pattern.js';
import type { Scenario } from '../scenario.js';
import { listening } from '../virtual/listening.js';
import { type PlayOptions, play } from '../virtual/runner.js';
import { Way } from './way.js';

/** What the world answered to one effect of a run, or that it never did. */
export interface AnsweredEffect {
  name: string;
  label: string;
  answer?: Json;
  ms: number;
}

/** A call of a run, and what came of it. */
export interface AnsweredCall {
  call: { method: string; url: string; operation?: string };
  reply: Reply;
}

/** What a run did: its calls with their answers, and its way. */
export interface PlayedAgain {
  calls: AnsweredCall[];
  way: Way;
  /** States that asked for something in the run, and do not when it is played again. */
  unasked: string[];
}

/** Plays a run again, with everything at its time and with the answers that it got. */
export async function playAgain(
  definition: Definition,
  scenario: Scenario,
  answers: readonly AnsweredEffect[],
): Promise<PlayedAgain> {
  const left = answers.filter(({ name }) => isCall(name));
  const calls: AnsweredCall[] = [];
  const way = new Way();
  const perform: PlayOptions['perform'] = (effect) => {
    if (!isCall(effect.name)) return undefined;
    const found = (same: (label: string) => boolean) =>
      left.findIndex(({ name, label }) => name === effect.name && same(label));
    const exact = found((label) => label === effect.label);
    const at = exact >= 0 ? exact : found((label) => stateOf(label) === stateOf(effect.label));
    const [{ answer, ms } = { ms: 0 } as AnsweredEffect] = at < 0 ? [] : left.splice(at, 1);
    calls.push(callOf(effect, answer, ms));
    return answer === undefined ? 'never' : { answer, afterMs: ms };
  };
  await play(definition, scenario, { perform, vocabulary: listening(vocabulary, way) });
  return { calls, way, unasked: left.filter(({ answer }) => answer !== undefined).map(({ label }) => stateOf(label)) };
}

function isCall(effect: string): boolean {
  return effect === 'http' || effect === 'plugin';
}

/** A label begins with the state; what follows is for people, and not the same in every version. */
function stateOf(label: string): string {
  return label.split(' · ')[0]!;
}

function callOf({ name, input }: Effect, answer: Json | undefined, ms: number): AnsweredCall {
  if (name === 'plugin') {
    const kind = String(own(input, 'plugin'));
    const problem = own(answer, 'problem');
    const reply: Reply = {
      status: isObject(problem) ? 400 : 200,
      headers: {},
      body: isObject(problem) ? problem : (own(answer, 'result') ?? null),
      afterMs: ms,
    };
    return { call: { method: 'POST', url: `plugin://${kind}`, operation: kind }, reply };
  }
  const { method, url, operation } = input as { method: string; url: string; operation?: string };
  const call = { method, url: asSent(url), ...(operation !== undefined && { operation }) };
  if (answer === undefined) return { call, reply: { status: 200, headers: {}, afterMs: 0, fail: 'timeout' } };
  const error = own(answer, 'error');
  const body = own(answer, 'body');
  const reply: Reply = {
    status: Number(own(answer, 'status') ?? 200),
    headers: headersOf(own(answer, 'headers')),
    ...(body !== undefined && body !== null && { body }),
    afterMs: ms,
    ...(isObject(error) && { fail: error.type === 'TIMEOUT' ? 'timeout' : 'network' }),
  };
  return { call, reply };
}

const transport =
  /^(date|connection|keep-alive|content-length|transfer-encoding|server|set-cookie|content-type|etag|x-powered-by|vary)$/i;

/** Headers that say something about the answer, not about how it came. */
function headersOf(headers: Json | undefined): Record<string, string> {
  const all = Object.entries(isObject(headers) ? headers : {});
  return Object.fromEntries(
    all.filter(([name]) => !transport.test(name)).map(([name, value]) => [name, String(value)]),
  );
}
