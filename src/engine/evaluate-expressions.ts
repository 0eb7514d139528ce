import { isObject, type Json, own } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { Bindings, Env, SiteKind } from '../expressions/expression-engine-interface.js';
import { compileExpression } from '../expressions/index.js';
import type { WorkSinceWait } from './budgets.js';
import type { Expression } from './definition/definition.js';
import { hasPlaceholder, parseTemplate, type Root } from './definition/parse-template.js';
import type { Host } from './host.js';

/** Fuel for a run's expressions between two waits. More would block the worker's only workflow thread. */
const segmentFuel = 2_000_000;

/** Evaluates expressions for one run, within the limits of one expression and of one segment. */
export class Evaluator {
  constructor(
    private readonly host: Host,
    /** Called with the fuel spent. */
    private readonly onFuelUsed: (fuel: number) => void,
  ) {}

  evaluate(expression: Expression, kind: SiteKind, bindings: Bindings, segment: WorkSinceWait): Json | Promise<Json> {
    const compiled = compileExpression(expression, { kind, bindings: Object.keys(bindings) });
    if (segment.fuel >= segmentFuel)
      refuse('DW_MAX_EVAL_TIME_EXCEEDED', 'Too much was computed without waiting for anything.');
    const { host } = this;
    const env: Env = {
      now: host.now(),
      uuid: () => host.uuid(),
      random: () => host.random(),
      spend: (fuel) => {
        segment.fuel += fuel;
        this.onFuelUsed(fuel);
      },
      ...(host.timezone === undefined ? {} : { timezone: host.timezone }),
    };
    const left = segmentFuel - segment.fuel;
    return compiled.evaluate(bindings, env, left < host.limits.fuel ? { ...host.limits, fuel: left } : host.limits);
  }
}

/** Encodes a value's text for the position of its placeholder in the template. Called from left to right. */
export type Encode = (text: string, value: Json, offset: number) => string;

/**
 * Fills the `${context.a.b}` placeholders of a template, and those of other roots. Strings are inserted unchanged, other values as JSON. A
 * missing or null value is an error, never an empty string. `encode`, if given, encodes each value for its position in the template.
 */
export function interpolate(
  template: string,
  roots: Readonly<Record<Root, Json>>,
  encode: Encode = (text) => text,
): string {
  if (!hasPlaceholder(template)) return template;
  const parsed = parseTemplate(template);
  if ('badAt' in parsed) return refuse('INTERPOLATION_SYNTAX', 'A text contains a malformed placeholder.');
  let out = '';
  for (const part of parsed.parts) {
    if ('text' in part) {
      out += part.text;
      continue;
    }
    const value = valueAt(roots[part.root], part.path);
    if (value === undefined || value === null) {
      return refuse('INTERPOLATION_MISSING', `\${${[part.root, ...part.path].join('.')}} has no value`, {
        hint: 'Set the field before this state, or build the text with a mapper and `default`.',
      });
    }
    out += encode(typeof value === 'string' ? value : JSON.stringify(value), value, part.at);
  }
  return out;
}

function valueAt(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const field of path) value = isObject(value) ? own(value, field) : undefined;
  return value;
}
