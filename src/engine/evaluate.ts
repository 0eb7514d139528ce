import type { Expression } from '../definition/definition.js';
import type { Bindings, Env, SiteKind } from '../expressions/expression.js';
import { compileExpression } from '../expressions/index.js';
import type { Json } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { Segment } from './allowance.js';
import type { Host } from './host.js';

/** What a run may spend on expressions between two waits; more would hold up the worker's only workflow thread. */
const segmentFuel = 2_000_000;

/** Evaluates expressions for one run, within the limits of one expression and of one segment. */
export class Evaluator {
  constructor(
    private readonly host: Host,
    /** Called with the fuel spent. */
    private readonly heard: (fuel: number) => void,
  ) {}

  evaluate(expression: Expression, kind: SiteKind, bindings: Bindings, segment: Segment): Json | Promise<Json> {
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
        this.heard(fuel);
      },
      ...(host.timezone === undefined ? {} : { timezone: host.timezone }),
    };
    const left = segmentFuel - segment.fuel;
    return compiled.evaluate(bindings, env, left < host.limits.fuel ? { ...host.limits, fuel: left } : host.limits);
  }
}
