import { refuse } from '../../problems/problem.js';
import { defaultLimits } from '../expression.js';
import { positionOf } from './position.js';
import { linear } from './regex.js';

/** A node of JSONata's syntax tree: the fields we read. */
export interface Node {
  type: string;
  value?: unknown;
  position?: number;
}

const deepest = 200;
const readsWhole = new Set(['=', '!=', 'in', '&', '<', '<=', '>', '>=']);

/**
 * Refuses at load what could only fail or run wild later, and returns the nodes whose value is read as a whole by what
 * stands around them (an operand of `=`, an argument): those cost by size.
 */
export function check(ast: Node, source: string): ReadonlySet<unknown> {
  const whole = new Set<unknown>();
  let depth = 0;
  const visit = (it: unknown): void => {
    if (typeof it !== 'object' || it === null || it instanceof RegExp) return;
    if (++depth > deepest * 3) tooDeep();
    if (Array.isArray(it)) it.forEach(visit);
    else {
      inspect(it as Node & Record<string, unknown>, source, whole);
      for (const [key, child] of Object.entries(it)) if (!parents.has(key)) visit(child);
    }
    depth--;
  };
  visit(ast);
  return whole;
}

const arithmetic = new Set(['+', '-', '*', '/', '%', '&', '..']);

/** Whether the value of the expression may be true or false. */
export function mayGiveBoolean(node: Node & { expressions?: Node[] }): boolean {
  if (node.type === 'string' || node.type === 'number' || node.type === 'regex' || node.type === 'lambda') return false;
  if (node.type === 'value') return typeof node.value === 'boolean';
  if (node.type === 'unary') return node.value !== '{' && node.value !== '[' && node.value !== '-';
  if (node.type === 'binary') return !arithmetic.has(String(node.value));
  const last = node.type === 'block' ? node.expressions?.at(-1) : undefined;
  return last === undefined || mayGiveBoolean(last);
}

/** Whether the value of the expression may be an object. */
export function mayGiveObject(node: Node & { expressions?: Node[] }): boolean {
  if (['string', 'number', 'value', 'regex', 'lambda', 'binary'].includes(node.type)) return false;
  if (node.type === 'unary') return node.value === '{';
  const last = node.type === 'block' ? node.expressions?.at(-1) : undefined;
  return last === undefined || mayGiveObject(last);
}

/** Fields of a node that point back up or sideways. */
const parents = new Set(['ancestor', 'seekingParent', 'slot', 'tuple']);

/** Refuses an expression that nests too deeply. */
export function tooDeep(): never {
  return refuse('JSONATA_UNSUPPORTED', 'The expression nests too deeply', { hint: 'Split it into several mappers.' });
}

function inspect(node: Node & Record<string, unknown>, source: string, whole: Set<unknown>): void {
  const at = positionOf(source, node.position);
  if (node.type === 'variable' && node.value === 'eval') {
    refuse('JSONATA_UNSUPPORTED', '$eval is not available: expressions are fixed when the journey is loaded', at);
  }
  if (node.type === 'regex') {
    try {
      linear(node.value as RegExp);
    } catch {
      refuse('JSONATA_UNSUPPORTED', 'This regular expression cannot be matched in linear time', {
        ...at,
        hint: 'Lookahead, lookbehind, back-references and class intersections are not available.',
      });
    }
  }
  const { lhs, rhs } = node as { lhs?: Node; rhs?: Node };
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
