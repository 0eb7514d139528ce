import { nearestName } from '../../base/problems/nearest-name.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import { defaultLimits } from '../expression-engine-interface.js';
import { toLinearRegex } from './linear-regex.js';

/** JSONata's built-in functions, which it does not list. */
const own = [
  ...['abs', 'append', 'assert', 'average', 'base64decode', 'base64encode', 'boolean', 'ceil', 'clone', 'contains'],
  ...['count', 'decodeUrl', 'decodeUrlComponent', 'distinct', 'each', 'encodeUrl', 'encodeUrlComponent', 'error'],
  ...['eval', 'exists', 'filter', 'floor', 'formatBase', 'formatInteger', 'formatNumber', 'fromMillis', 'join'],
  ...['keys', 'length', 'lookup', 'lowercase', 'map', 'match', 'max', 'merge', 'millis', 'min', 'not', 'now'],
  ...['number', 'pad', 'parseInteger', 'power', 'random', 'reduce', 'replace', 'reverse', 'round', 'shuffle'],
  ...['sift', 'single', 'sort', 'split', 'spread', 'sqrt', 'string', 'substring', 'substringAfter'],
  ...['substringBefore', 'sum', 'toMillis', 'trim', 'type', 'uppercase', 'zip'],
];

/** Calls of functions that neither JSONata nor the expression defines, and that always fail. */
export function unknownCalls(ast: JsonataNode, source: string): Finding[] {
  const named = new Set(own);
  const calls: { name: string; end: number | undefined }[] = [];
  const seen = new Set<unknown>();
  const visit = (it: unknown): void => {
    if (typeof it !== 'object' || it === null || it instanceof RegExp || seen.has(it)) return;
    seen.add(it);
    const { type, lhs, procedure, arguments: args, focus, index } = it as Record<string, unknown>;
    if (type === 'lambda') for (const arg of args as JsonataNode[]) named.add(String(arg.value));
    if (type === 'bind') named.add(String((lhs as JsonataNode).value));
    // `@$v` and `#$i` bind variables in a path.
    for (const name of [focus, index]) if (typeof name === 'string') named.add(name);
    const called = type === 'function' || type === 'partial' ? (procedure as JsonataNode) : undefined;
    if (called?.type === 'variable') calls.push({ name: String(called.value), end: called.position });
    for (const inner of Object.values(it)) visit(inner);
  };
  visit(ast);
  return calls
    .filter(({ name }) => name !== '' && !named.has(name))
    .map(({ name, end }) => {
      const near = nearestName(name, named);
      const hint = near === undefined ? 'JSONata does not have this function.' : `Did you mean $${near}?`;
      const message = `Unknown function $${name}: calling it fails.`;
      return {
        code: 'EXPR_NO_FUNCTION',
        severity: 'warning',
        message,
        hint,
        pointer: '',
        ...tokenPosition(source, end === undefined ? end : end - name.length),
      };
    });
}

/** The fields of a JSONata syntax node that we read. */
export interface JsonataNode {
  type: string;
  value?: unknown;
  position?: number;
}

const deepest = 200;
const readsWhole = new Set(['=', '!=', 'in', '&', '<', '<=', '>', '>=']);

/**
 * Rejects code that would always fail or exceed the limits, and returns the nodes whose value the surrounding node reads as a whole (an
 * operand of `=`, an argument): their cost depends on size.
 */
export function checkJsonata(ast: JsonataNode, source: string): ReadonlySet<unknown> {
  const whole = new Set<unknown>();
  let depth = 0;
  const visit = (it: unknown): void => {
    if (typeof it !== 'object' || it === null || it instanceof RegExp) return;
    if (++depth > deepest * 3) refuseTooDeep();
    if (Array.isArray(it)) it.forEach(visit);
    else {
      inspect(it as JsonataNode & Record<string, unknown>, source, whole);
      for (const [key, child] of Object.entries(it)) if (!parents.has(key)) visit(child);
    }
    depth--;
  };
  visit(ast);
  return whole;
}

const arithmetic = new Set(['+', '-', '*', '/', '%', '&', '..']);

/** Whether the expression may return a Boolean. */
export function mayBeBooleanNode(node: JsonataNode & { expressions?: JsonataNode[] }): boolean {
  if (node.type === 'string' || node.type === 'number' || node.type === 'regex' || node.type === 'lambda') return false;
  if (node.type === 'value') return typeof node.value === 'boolean';
  if (node.type === 'unary') return node.value !== '{' && node.value !== '[' && node.value !== '-';
  if (node.type === 'binary') return !arithmetic.has(String(node.value));
  const last = node.type === 'block' ? node.expressions?.at(-1) : undefined;
  return last === undefined || mayBeBooleanNode(last);
}

/** Whether the expression may return an object. */
export function mayBeObjectNode(node: JsonataNode & { expressions?: JsonataNode[] }): boolean {
  if (['string', 'number', 'value', 'regex', 'lambda', 'binary'].includes(node.type)) return false;
  if (node.type === 'unary') return node.value === '{';
  const last = node.type === 'block' ? node.expressions?.at(-1) : undefined;
  return last === undefined || mayBeObjectNode(last);
}

/** Fields of a node that point to its parents or siblings. */
const parents = new Set(['ancestor', 'seekingParent', 'slot', 'tuple']);

/** Rejects an expression that nests too deeply. */
export function refuseTooDeep(): never {
  return refuse('JSONATA_UNSUPPORTED', 'The expression nests too deeply', { hint: 'Split it into several mappers.' });
}

function inspect(node: JsonataNode & Record<string, unknown>, source: string, whole: Set<unknown>): void {
  const at = tokenPosition(source, node.position);
  if (node.type === 'variable' && node.value === 'eval') {
    refuse('JSONATA_UNSUPPORTED', '$eval is not available: expressions are fixed when the journey is loaded', at);
  }
  if (node.type === 'regex') {
    try {
      toLinearRegex(node.value as RegExp);
    } catch {
      refuse('JSONATA_UNSUPPORTED', 'This regular expression cannot be matched in linear time', {
        ...at,
        hint: 'Lookahead, lookbehind, back-references and class intersections are not supported.',
      });
    }
  }
  const { lhs, rhs } = node as { lhs?: JsonataNode; rhs?: JsonataNode };
  if (node.type === 'binary' && node.value === '..' && lhs?.type === 'number' && rhs?.type === 'number') {
    if ((rhs.value as number) - (lhs.value as number) >= defaultLimits.collectionSize) {
      refuse('JSONATA_UNSUPPORTED', `A range has at most ${defaultLimits.collectionSize} items`, at);
    }
  }
  if ((node.type === 'binary' && readsWhole.has(String(node.value))) || node.type === 'apply') {
    whole.add(lhs);
    whole.add(rhs);
  }
  if (node.type === 'function' || node.type === 'partial')
    for (const arg of node.arguments as unknown[]) whole.add(arg);
}

/** Line and column (from 1) of a token, for a problem. JSONata reports the offset after the token; empty without one. */
export function tokenPosition(source: string, position: number | undefined): { line?: number; column?: number } {
  if (position === undefined || !Number.isInteger(position)) return {};
  const before = source.slice(0, Math.max(0, position - 1));
  const line = before.split('\n').length;
  return { line, column: before.length - before.lastIndexOf('\n') };
}
