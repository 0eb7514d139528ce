import { describe, expect, it } from 'vitest';
import { mulberry } from '../../fuzz/loader/mutate.js';
import { checkHistory, type Operation } from '../../reliability/concurrency/linearizable.js';
import { type RunOperation, runModel } from '../../reliability/concurrency/run-model.js';

const add = (key: string, answer: 'accepted' | 'refused' = 'accepted'): RunOperation => ({ kind: 'add', key, answer });
const read = (list: string, phase: 'RUNNING' | 'SUCCEEDED' | 'CANCELLED' = 'RUNNING'): RunOperation => ({
  kind: 'read',
  phase,
  list: [...list],
});
const cancel: RunOperation = { kind: 'cancel' };
/** An operation with start and end times; without an end it has no response. */
const at = (invoked: number, returned: number | undefined, what: RunOperation): Operation<RunOperation> => ({
  invoked,
  ...(returned !== undefined && { returned }),
  what,
});
const verdict = (...history: Operation<RunOperation>[]) => checkHistory(history, runModel(2)).linearizable;

describe('the checker of histories', () => {
  it.each([
    ['nothing', []],
    [
      'operations in sequence',
      [at(0, 1, add('a')), at(2, 3, read('a')), at(4, 5, add('b')), at(6, 7, read('ab', 'SUCCEEDED'))],
    ],
    ['a read during an addition that sees it', [at(0, 9, add('a')), at(1, 2, read('a'))]],
    ['a read during an addition that does not see it', [at(0, 9, add('a')), at(1, 2, read(''))]],
    [
      'two concurrent additions, in the order of the reader',
      [at(0, 9, add('a')), at(0, 9, add('b')), at(10, 11, read('ba'))],
    ],
    [
      'an addition without a response that happened much later',
      [at(0, undefined, add('a')), at(5, 6, read('')), at(7, 8, read('a'))],
    ],
    ['an addition without a response that never happened', [at(0, undefined, add('a')), at(5, 6, read(''))]],
    ['an addition repeated with its key', [at(0, undefined, add('a')), at(5, 6, add('a')), at(7, 8, read('a'))]],
    ['a rejection, repeated later', [at(0, 1, add('a', 'refused')), at(2, 3, add('a')), at(4, 5, read('a'))]],
    [
      'a repetition of the last addition after the end',
      [at(0, 1, add('a')), at(2, 3, add('b')), at(4, 5, read('ab', 'SUCCEEDED')), at(6, 7, add('b'))],
    ],
    [
      'a cancellation that takes effect after its response',
      [at(0, undefined, cancel), at(2, 3, read('')), at(4, 5, read('', 'CANCELLED'))],
    ],
    [
      'a cancellation right after a submission, which the next state does not show',
      [at(0, undefined, cancel), at(0, 1, add('a')), at(2, 3, read('', 'CANCELLED')), at(4, 5, read('', 'CANCELLED'))],
    ],
    [
      'a late cancellation',
      [at(0, 1, add('a')), at(0, 1, add('b')), at(2, undefined, cancel), at(4, 5, read('ab', 'SUCCEEDED'))],
    ],
  ])('accepts %s', (_, history) => {
    expect(verdict(...history)).toBe(true);
  });

  it.each([
    ['an acknowledged addition that is lost', [at(0, 1, add('a')), at(2, 3, read(''))]],
    ['an addition that happened twice', [at(0, 1, add('a')), at(2, 3, read('aa'))]],
    ['a read of the past', [at(0, 9, add('a')), at(1, 2, read('a')), at(3, 4, read(''))]],
    [
      'an order that contradicts the times',
      [at(0, 1, add('a')), at(2, 3, add('b')), at(4, 5, read('ba', 'SUCCEEDED'))],
    ],
    [
      'two readers that disagree on the order',
      [at(0, 9, add('a')), at(0, 9, add('b')), at(1, 2, read('a')), at(3, 4, read('b'))],
    ],
    ['something that nobody added', [at(0, 1, read('x'))]],
    ['a refusal of what was acknowledged', [at(0, 1, add('a')), at(2, 3, add('a', 'refused'))]],
    ['an addition after the end', [at(0, undefined, cancel), at(1, 2, read('', 'CANCELLED')), at(3, 4, add('a'))]],
    ['a third addition', [at(0, 1, add('a')), at(2, 3, add('b')), at(4, 5, add('c'))]],
    ['an end without its reason', [at(0, 1, add('a')), at(2, 3, read('a', 'SUCCEEDED'))]],
    ['a cancel that nobody asked for', [at(0, 1, read('', 'CANCELLED'))]],
    [
      'a result that changes',
      [at(0, 1, add('a')), at(0, 1, add('b')), at(2, 3, read('ab', 'SUCCEEDED')), at(4, 5, read('ba', 'SUCCEEDED'))],
    ],
    [
      'a cancelled run that shows different lists',
      [at(0, undefined, cancel), at(0, 1, add('a')), at(2, 3, read('', 'CANCELLED')), at(4, 5, read('a', 'CANCELLED'))],
    ],
    [
      'a submission before the last that a cancelled run does not show',
      [at(0, 1, add('a')), at(2, 3, add('b')), at(4, undefined, cancel), at(5, 6, read('', 'CANCELLED'))],
    ],
    ['a run that revives', [at(0, undefined, cancel), at(1, 2, read('', 'CANCELLED')), at(3, 4, read(''))]],
    ['an answer without its own addition', [at(0, 1, { kind: 'read', phase: 'RUNNING', contains: 'a' })]],
  ] as [string, Operation<RunOperation>[]][])('rejects %s', (_, history) => {
    expect(verdict(...history)).toBe(false);
  });

  it('lists the operations that no order explains', () => {
    const lost = at(4, 5, read(''));
    const result = checkHistory([at(0, 1, add('a')), at(2, 3, read('a')), lost], runModel(2));
    expect(result).toEqual({ linearizable: false, stuckAt: [lost] });
  });

  it.each(Array.from({ length: 10 }, (_, seed) => seed))(
    'accepts the history of clients of a real object, but not with a false response (seed %i)',
    (seed) => {
      const history = observed(mulberry(seed), 8);
      expect(checkHistory(history, runModel(8)).linearizable).toBe(true);
      const last = history.at(-1)!;
      const lost: Operation<RunOperation> = { ...last, what: { ...last.what, list: [] } as RunOperation };
      expect(checkHistory([...history.slice(0, -1), lost], runModel(8)).linearizable).toBe(false);
    },
  );

  it('checks a long history with many unanswered operations', () => {
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    const history = keys.flatMap((key, i) => [
      at(i * 10, undefined, add(key)),
      at(i * 10, undefined, add(key)),
      at(i * 10 + 5, i * 10 + 6, { kind: 'read', phase: 'RUNNING', list: keys.slice(0, i + 1) } as RunOperation),
    ]);
    expect(checkHistory(history, runModel(20)).linearizable).toBe(true);
    const stale = at(500, 501, { kind: 'read', phase: 'RUNNING', list: keys.slice(0, 3) } as RunOperation);
    expect(checkHistory([...history, stale], runModel(20)).linearizable).toBe(false);
  });
});

/** The history of six clients of an object that applies each operation at one instant; some requests and responses are lost. */
function observed(random: () => number, length: number): Operation<RunOperation>[] {
  const pending: { effectAt: number; run: () => void }[] = [];
  const history: Operation<RunOperation>[] = [];
  const list: string[] = [];
  let next = 0;
  for (let i = 0; i < 60; i++) {
    const invoked = i + random();
    const effectAt = invoked + random() * 8;
    const returned = effectAt + random() * 8;
    const isUnanswered = random() < 0.2;
    const key = `k${random() < 0.6 ? next++ : Math.floor(random() * next)}`;
    const isAdd = random() < 0.5;
    pending.push({
      effectAt,
      run: () => {
        if (!isAdd)
          return void history.push(at(invoked, returned, { kind: 'read', phase: phaseNow(), list: [...list] }));
        const accepted = list.includes(key) || list.length < length;
        if (accepted && !list.includes(key) && !(isUnanswered && random() < 0.5)) list.push(key);
        if (isUnanswered) history.push(at(invoked, undefined, add(key)));
        else history.push(at(invoked, returned, add(key, accepted ? 'accepted' : 'refused')));
      },
    });
  }
  const phaseNow = () => (list.length === length ? 'SUCCEEDED' : 'RUNNING');
  for (const { run } of pending.sort((a, b) => a.effectAt - b.effectAt)) run();
  return [...history, at(1_000, 1_001, { kind: 'read', phase: phaseNow(), list: [...list] })];
}
