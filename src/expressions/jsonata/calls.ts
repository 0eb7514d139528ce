import { nearest } from '../../problems/nearest.js';
import type { Finding } from '../../problems/problem.js';
import type { Node } from './check.js';
import { positionOf } from './position.js';

/** JSONata's own functions, which it does not list. */
const own = [
  ...['abs', 'append', 'assert', 'average', 'base64decode', 'base64encode', 'boolean', 'ceil', 'clone', 'contains'],
  ...['count', 'decodeUrl', 'decodeUrlComponent', 'distinct', 'each', 'encodeUrl', 'encodeUrlComponent', 'error'],
  ...['eval', 'exists', 'filter', 'floor', 'formatBase', 'formatInteger', 'formatNumber', 'fromMillis', 'join'],
  ...['keys', 'length', 'lookup', 'lowercase', 'map', 'match', 'max', 'merge', 'millis', 'min', 'not', 'now'],
  ...['number', 'pad', 'parseInteger', 'power', 'random', 'reduce', 'replace', 'reverse', 'round', 'shuffle'],
  ...['sift', 'single', 'sort', 'split', 'spread', 'sqrt', 'string', 'substring', 'substringAfter'],
  ...['substringBefore', 'sum', 'toMillis', 'trim', 'type', 'uppercase', 'zip'],
];

/** Calls of functions that neither JSONata has nor the expression: they could only fail. */
export function unknownCalls(ast: Node, source: string): Finding[] {
  const named = new Set(own);
  const calls: { name: string; end: number | undefined }[] = [];
  const seen = new Set<unknown>();
  const visit = (it: unknown): void => {
    if (typeof it !== 'object' || it === null || it instanceof RegExp || seen.has(it)) return;
    seen.add(it);
    const { type, lhs, procedure, arguments: args, focus, index } = it as Record<string, unknown>;
    if (type === 'lambda') for (const arg of args as Node[]) named.add(String(arg.value));
    if (type === 'bind') named.add(String((lhs as Node).value));
    // `@$v` and `#$i` name what a path meets.
    for (const name of [focus, index]) if (typeof name === 'string') named.add(name);
    const called = type === 'function' || type === 'partial' ? (procedure as Node) : undefined;
    if (called?.type === 'variable') calls.push({ name: String(called.value), end: called.position });
    for (const inner of Object.values(it)) visit(inner);
  };
  visit(ast);
  return calls
    .filter(({ name }) => name !== '' && !named.has(name))
    .map(({ name, end }) => {
      const near = nearest(name, named);
      const hint = near === undefined ? 'JSONata has no such function.' : `Did you mean $${near}?`;
      const message = `There is no function $${name}: calling it fails.`;
      return {
        code: 'EXPR_NO_FUNCTION',
        severity: 'warning',
        message,
        hint,
        pointer: '',
        ...positionOf(source, end === undefined ? end : end - name.length),
      };
    });
}
