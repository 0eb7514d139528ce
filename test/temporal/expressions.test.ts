import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from './support/encryption.js';
import { type Rig, rig } from './support/rig.js';

/** One transform in each language that uses time, randomness, big numbers, patterns and prototypes. */
function journey(lang: string, expr: string): string {
  return `
apiVersion: v1
kind: Journey
metadata: { name: expressions, version: 1.0.0 }
spec:
  start: compute
  states:
    compute:
      type: transform
      transform:
        mapper:
          lang: ${lang}
          expr: |
${expr.replace(/^/gm, '            ')}
        target: { kind: var }
        resultVar: result
      next: rest
    rest:
      type: timer
      timer: { duration: PT0.1S }
      next: done
    done: { type: succeed, outputVar: result }
`;
}

const dataweave = `{
  at: now() as String,
  ids: [uuid(), uuid()],
  third: 1 / 3,
  roots: sqrt(2) + (2 pow 0.5),
  words: "a1b2" splitBy /[0-9]/,
  tomorrow: (now() + |P1D|) > now(),
  "__proto__": { polluted: true },
  sorted: context.list orderBy -$
}`;

const jsonata = `{
  "at": $now(),
  "chance": $random(),
  "words": $split("a1b2", /[0-9]/),
  "sorted": $sort(context.list)
}`;

describe('expressions inside the workflow sandbox', () => {
  let it_: Rig;
  beforeAll(async () => {
    it_ = await rig();
  });
  afterAll(() => it_.stop());

  it.each([
    ['dataweave', dataweave],
    ['jsonata', jsonata],
  ])('JL-U24 %s evaluates on a real worker and its history replays', async (lang, expr) => {
    const view = await it_.start(journey(lang, expr), { list: [2, 3, 1] });
    await it_.client.workflow.getHandle(view.journeyId).result();
    const { outcome } = await it_.runs.result(view.journeyId);
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: { words: expect.arrayContaining(['a', 'b']) } });
    const history = await it_.client.workflow.getHandle(view.journeyId).fetchHistory();
    await Worker.runReplayHistory(bundled(it_.config), history, view.journeyId);
  });

  it.each([
    ['dataweave', 'do { fun f(n) = if (n < 2) 1 else f(n - 1) + f(n - 2) --- f(60) }'],
    ['jsonata', '($f := function($n) { $n < 2 ? 1 : $f($n - 1) + $f($n - 2) }; $f(60))'],
  ])('a runaway %s expression fails the run, not the worker', async (lang, expr) => {
    const view = await it_.start(journey(lang, expr), {});
    expect(view.outcome).toMatchObject({ phase: 'FAILED' });
  });
});
