import { describe, expect, it } from 'vitest';
import { load } from '../../../src/spec/load.js';

const small = `apiVersion: v1
kind: Journey
metadata:
  name: tea-order
  version: 1.0.0
spec:
  start: ask
  states:
    ask:
      type: task
      task:
        kind: httpCall:v1
        method: GET
        url: "https://tea.example/leaves/\${context.leaf}"
        resultVar: leaf
      next: decide
    decide:
      type: choice
      choices:
        - when:
            predicate: { lang: dataweave, expr: "context.leaf.ok == true" }
          next: steep
      default: refuse
    steep:
      type: timer
      timer: { duration: PT3M }
      next: pour
    pour:
      type: transform
      transform:
        mapper:
          lang: dataweave
          expr: |
            { cup: context.leaf.body }
        target: { kind: var }
        resultVar: cup
      next: done
    done: { type: succeed, outputVar: cup }
    refuse: { type: fail, errorCode: NO_TEA, reason: out of leaves }
`;

describe('load', () => {
  it('gives a normalised definition', () => {
    const { definition, findings } = load({ text: small });
    expect(findings).toEqual([]);
    expect(definition?.states.ask).toMatchObject({
      type: 'task',
      task: { method: 'GET', timeoutMs: 10_000, accept: 'application/json' },
    });
    expect(definition?.states.pour).toMatchObject({ target: { kind: 'var', name: 'cup' } });
  });
});
