import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { stateTypes } from '../../../src/language/states/registry.js';
import { taskBehaviours } from '../../../src/language/tasks/registry.js';
import { vocabularyWith } from '../../../src/library/load-plugins.js';
import { cases } from '../../reliability/kill-matrix/cases.js';
import { documentOf } from '../../reliability/kill-matrix/environment.js';
import { judge, type KilledRun } from '../../reliability/kill-matrix/judge.js';
import { missingCases } from '../../reliability/kill-matrix/missing-cases.js';
import type { Call } from '../../reliability/ledger.js';

describe('the cases of the kill matrix', () => {
  it('cover every state type and every task kind, and miss a new one', () => {
    const registered = [...stateTypes.keys(), ...taskBehaviours.keys()];
    expect(missingCases(registered)).toEqual([]);
    expect(missingCases([...registered, 'telepathy:v1'])).toEqual(['telepathy:v1']);
  });

  it.each(cases.map((it) => [it.name, it] as const))('include the valid journey %s', (_, given) => {
    const book = {
      kind: 'book:v1',
      description: 'It.',
      fields: { run: { type: 'template' as const, required: true, description: 'It.' } },
      run: () => '',
    };
    const text = JSON.stringify(documentOf(given, 'http://127.0.0.1:1'));
    const { findings } = load({ text }, { words: vocabularyWith([book]) });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('the judge of the kill matrix', () => {
  const call = (point: string, key?: string, value?: unknown) =>
    ({ run: 'l', point, key, method: 'POST', value: value as never }) satisfies Call;
  const whole = [call('before', 'id/before#1'), call('step', 'id/step#1'), call('after', 'id/after#1', true)];
  const given = { name: 'it', states: {}, during: { withinMs: 1 }, keys: { step: ['$/step#*'] }, value: [true] };
  const run = (calls: readonly Call[], end = 'SUCCEEDED'): KilledRun => ({ label: 'l', id: 'id', end, calls });

  it('accepts a complete run, also with a call that was repeated with its key', () => {
    expect(judge(given, 'worker', run(whole))).toEqual([]);
    expect(judge(given, 'worker', run([...whole, whole[1]!]))).toEqual([]);
  });

  it.each([
    ['a lost call', 'step is lost', run(whole.toSpliced(1, 1))],
    ['a repetition with another key', 'step was called with several keys', run([...whole, call('step', 'id/step#2')])],
    ['a repetition without a key', 'step was called with no key', run([...whole, call('step')])],
    ['a second run', 'before was called with other/before#1', run([...whole, call('before', 'other/before#1')])],
    ['an unexpected call', 'odd was called with id/odd#1', run([...whole, call('odd', 'id/odd#1')])],
    ['a wrong value', 'after has the value false', run([...whole.slice(0, 2), call('after', 'id/after#1', false)])],
    ['another end', 'ended with OTHER instead of SUCCEEDED', run(whole, 'OTHER')],
  ])('reports %s', (_, problem, broken) => {
    expect(judge(given, 'worker', broken).join()).toContain(problem);
  });

  it('reports any repetition if a case forbids it', () => {
    const repeated = run([...whole, whole[1]!]);
    expect(judge({ ...given, once: ['step'] }, 'worker', repeated).join()).toContain('step was repeated');
  });

  it('accepts the result that a lost gateway may cause, with no call after it', () => {
    const gone = { ...given, mayEnd: { code: 'GONE', killed: ['gateway' as const] } };
    expect(judge(gone, 'gateway', run(whole.slice(0, 1), 'GONE'))).toEqual([]);
    expect(judge(gone, 'worker', run(whole.slice(0, 1), 'GONE')).length).toBeGreaterThan(0);
    expect(judge(gone, 'gateway', run(whole, 'GONE')).join()).toContain('after was called with id/after#1');
  });
});
