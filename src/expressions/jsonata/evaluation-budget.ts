import { refuse } from '../../base/problems/problem.js';
import type { Env, Limits } from '../expression-engine-interface.js';
import { linearRegexEngine } from './linear-regex.js';

/** The parts of JSONata's frames that we use in hooks and built-ins. */
export interface JsonataFrame {
  base: JsonataFrame & { depth: number; RegexEngine: RegExpConstructor; options?: { sequence: number } };
  bind(name: string, value: unknown): void;
  lookup(name: string): unknown;
}

interface BuiltIn {
  implementation(...args: unknown[]): unknown;
  signature?: unknown;
}

/** Evaluation levels per call: JSONata nests several times for each call. */
const levelsPerCall = 4;
/** Fuel per step. A JSONata step awaits several promises, which costs a workflow about four times as much as a step of our own. */
const fuelPerStep = 4;
/** Fuel for values read as a whole: one per node, plus one per this many characters. */
const charactersPerNode = 32;
const nodesPerFuel = 32;
const heaviest = 1_000_000;

/**
 * Sizes of values, kept beyond one evaluation. Contexts are never modified, and measuring a large one again for each predicate of a run
 * would cost more than the predicate.
 */
const weights = new WeakMap<object, number>();

/** Budget of one evaluation. Every step of JSONata passes `enter` and `leave`, or one of the wrapped built-ins. */
export class EvaluationBudget {
  #fuel: number;
  #reported: number;
  readonly #env: Env;
  readonly #limits: Limits;

  constructor(env: Env, limits: Limits) {
    this.#env = env;
    this.#limits = limits;
    this.#fuel = limits.fuel;
    this.#reported = limits.fuel;
  }

  /** Replaces built-ins that are unbounded or reach the outside world, in the frame of this evaluation. */
  install(frame: JsonataFrame): void {
    const { base } = frame;
    base.RegexEngine = linearRegexEngine((characters) => this.charge(Math.ceil(characters / 4)));
    base.options = { sequence: this.#limits.collectionSize };
    const built = (name: string) => base.lookup(name) as BuiltIn;
    const replace = (name: string, make: (original: BuiltIn['implementation']) => BuiltIn['implementation']) => {
      const original = built(name);
      base.bind(name, { ...original, implementation: make(original.implementation) });
    };
    const env = this.#env;
    const fromMillis = built('fromMillis').implementation;
    base.bind('eval', undefined);
    replace('now', () => (picture, zone) => fromMillis(env.now, picture, zone));
    replace('millis', () => () => env.now);
    replace('random', () => () => env.random());
    replace('shuffle', () => (items) => shuffled(items as unknown[], env));
    replace('distinct', () => (items) => distinct(items, (n) => this.charge(n)));
    const budget = this;
    replace(
      'pad',
      (pad) =>
        function (this: unknown, text, width, fill) {
          budget.#checkString(Math.abs(width as number));
          return pad.call(this, text, width, fill);
        },
    );
    replace(
      'join',
      (join) =>
        function (this: unknown, parts, separator) {
          const between = typeof separator === 'string' ? separator.length : 0;
          const list = Array.isArray(parts) ? parts : [];
          budget.#checkString(list.reduce((sum: number, part) => sum + String(part).length + between, 0));
          return join.call(this, parts, separator);
        },
    );
    replace(
      'replace',
      (original) =>
        function (this: unknown, text, pattern, replacement, limit) {
          if (typeof text === 'string' && typeof replacement === 'string') {
            // `$0` can repeat the match, so a short replacement counts as up to the whole text.
            if ((text.length + 1) * (replacement.length + 1) > 16 * budget.#limits.stringLength) tooLarge();
          }
          return original.call(this, text, pattern, replacement, limit);
        },
    );
    replace(
      'toMillis',
      (original) =>
        function (this: unknown, text, picture) {
          if (typeof text === 'string' && typeof picture === 'string') budget.charge(parseCost(text, picture));
          return original.call(this, text, picture);
        },
    );
  }

  /** Fuel consumed since the last call. */
  takeSpent(): number {
    const spent = this.#reported - this.#fuel;
    this.#reported = this.#fuel;
    return spent;
  }

  charge(amount: number): void {
    this.#fuel -= amount;
    if (!(this.#fuel >= 0)) refuse('JSONATA_LIMIT_EXCEEDED', 'The expression took more steps than allowed');
  }

  enter(frame: JsonataFrame): void {
    this.charge(fuelPerStep);
    if (frame.base.depth > this.#limits.depth * levelsPerCall) {
      refuse('JSONATA_LIMIT_EXCEEDED', 'The expression nests or recurses too deeply');
    }
  }

  /** Checks the result of a node; `whole` if the surrounding node reads all of it. */
  leave(result: unknown, whole: boolean): void {
    if (typeof result === 'string') {
      this.#checkString(result.length);
      if (whole) this.charge(result.length / charactersPerNode / nodesPerFuel);
    } else if (typeof result === 'object' && result !== null) {
      const weight = this.#weigh(result, 0);
      if (Array.isArray(result) && result.length > this.#limits.collectionSize) tooLarge();
      if (weight > heaviest) tooLarge();
      if (whole) this.charge(weight / nodesPerFuel);
    }
  }

  /** Size of a value when written out; a part it contains several times counts each time. */
  #weigh(value: unknown, depth: number): number {
    if (typeof value === 'string') return 1 + value.length / charactersPerNode;
    if (typeof value !== 'object' || value === null) return 1;
    const known = weights.get(value);
    if (known !== undefined) return known;
    if (depth > 1_000) tooLarge();
    if (isFunction(value)) return 1;
    let weight = 1;
    for (const item of Array.isArray(value) ? value : Object.values(value)) weight += this.#weigh(item, depth + 1);
    weights.set(value, weight);
    return weight;
  }

  #checkString(length: number): void {
    if (length > this.#limits.stringLength) tooLarge();
  }
}

/** Whether the value is a function: JSONata marks its own and compiled functions, which are objects. */
export function isFunction(value: object): boolean {
  return '_jsonata_function' in value || '_jsonata_lambda' in value;
}

function tooLarge(): never {
  return refuse('JSONATA_LIMIT_EXCEEDED', 'The expression created a value larger than allowed');
}

function shuffled(items: unknown[] | undefined, env: Env): unknown[] | undefined {
  if (!Array.isArray(items)) return items;
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(env.random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** Finds equal items by their text in a single pass. JSONata compares every pair. */
function distinct(items: unknown, charge: (amount: number) => void): unknown {
  if (!Array.isArray(items) || items.length <= 1) return items;
  charge(items.length);
  const seen = new Set<unknown>();
  const out = items.filter((item) => {
    const key = typeof item === 'object' && item !== null && !isFunction(item) ? sortedText(item) : item;
    const mark = typeof item === 'string' ? `"${item}` : key;
    if (seen.has(mark)) return false;
    seen.add(mark);
    return true;
  });
  // Marks a JSONata sequence (a single item is the item itself), as opposed to an array.
  return 'sequence' in items ? Object.assign(out, { sequence: true }) : out;
}

function sortedText(item: object): string {
  return JSON.stringify(item, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Cost of parsing with a picture, which JSONata turns into a backtracking pattern: adjacent variable parts multiply. */
function parseCost(text: string, picture: string): number {
  const joins = picture.match(/\](?=([^[]*)\[)/g)?.length ?? 0;
  const anyText = /\[[A-Za-z][wW]/.test(picture);
  const open = anyText ? joins : [...picture.matchAll(/\](?=[A-Za-z0-9]*\[)/g)].length;
  return 1 + text.length ** open / 16;
}
