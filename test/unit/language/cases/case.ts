import type { Code } from '../../../../src/base/problems/registry.js';
import type { LoadOptions } from '../../../../src/language/load-journey.js';

/** A document with one fault: the expected finding, and the only one of its severity. `§` marks its position. */
export interface FaultCase {
  code: Code;
  text: string;
  /** `error` by default. */
  severity?: 'warning';
  options?: LoadOptions;
  path?: string;
  /** Other errors that the same fault causes. */
  also?: Code[];
  /** A part of the hint. */
  hint?: string;
  /** The variant of the fault. */
  about?: string;
}

interface Parts {
  kind?: string;
  spec?: string;
  start?: string;
  states?: string;
}

/** A small valid document with the given parts. */
export function doc({ kind = 'Journey', spec = '', start = 'a', states = 'a: { type: succeed }' }: Parts): string {
  return `apiVersion: v1
kind: ${kind}
metadata: { name: probe, version: 1.0.0 }
spec:
${indent(spec, 2)}
  start: ${start}
  states:
${indent(states, 4)}
`;
}

/** `end` and a state `a` with the given body. */
export function state(body: string): string {
  return `a:\n${indent(body, 2)}\nend: { type: succeed }`;
}

/** A task state `a`. */
export function task(body: string): string {
  return state(`type: task\ntask:\n${indent(body, 2)}\nnext: end`);
}

/** A call by URL with additional fields. */
export function call(body: string): string {
  return task(`kind: httpCall:v1\nmethod: POST\nurl: https://tea.example/pots\n${body}`);
}

export const mapper = 'mapper: { lang: dataweave, expr: context.leaf }';

export function indent(text: string, by: number): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(by) + line))
    .join('\n');
}
