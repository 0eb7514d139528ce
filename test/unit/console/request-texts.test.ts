import { describe, expect, it } from 'vitest';
import { proposedAction, requestProblem, withReadableTimes, zoneOf } from '../../../src/console/pages/request-texts.js';

const problem = { code: 'INPUT_INVALID', title: 'Invalid input', status: 400, detail: '/text is required' };

describe('a request in plain English', () => {
  it('names missing inputs in one sentence', () => {
    const missing = (name: string) => ({
      code: 'INPUT_INVALID',
      message: 'is required',
      pointer: `/targetAction/inputs/${name}`,
    });
    const one = requestProblem({ ...problem, errors: [missing('text')] });
    expect(one).toEqual({ ...problem, detail: 'The input text is missing. Add text="…" to the sentence.' });
    expect(requestProblem({ ...problem, errors: [missing('text'), missing('to')] }).detail).toBe(
      'The inputs text and to are missing. Add text="…" to="…" to the sentence.',
    );
  });

  it('keeps other problems', () => {
    const other = {
      ...problem,
      errors: [{ code: 'X', message: 'must be a number', pointer: '/targetAction/inputs/n' }],
    };
    expect(requestProblem(other)).toBe(other);
    expect(requestProblem(problem)).toBe(problem);
  });

  it('names what runs and its inputs', () => {
    const create = (targetAction: object) => proposedAction({ functionArgs: { targetAction } } as never);
    expect(create({ workflowId: 'hello', inputs: { name: 'Ada', n: 3 } })).toBe(
      'Runs the journey hello with name="Ada", n=3.',
    );
    expect(create({ workflowId: 'hello' })).toBe('Runs the journey hello without inputs.');
    expect(create({ functionId: 'channel.post', functionArgs: { text: 'Hi' } })).toBe(
      'Calls the function channel.post with text="Hi".',
    );
    expect(proposedAction({ functionArgs: { jobId: 'a' } })).toBeUndefined();
  });

  it('finds the zone of a cadence, or the one that was said', () => {
    const schedule = { timezone: 'Europe/Rome' };
    expect(zoneOf({ text: '', invocation: { functionArgs: { schedule } } }, undefined)).toBe('Europe/Rome');
    expect(zoneOf({ text: '', result: { schedule } }, undefined)).toBe('Europe/Rome');
    const said = (utterance: string, ...answers: string[]) =>
      zoneOf({ text: '' }, { state: { utterance, now: '', answers } });
    expect(said('run hello with name=Ada tomorrow at 9am Berlin')).toBe('Europe/Berlin');
    expect(said('run hello tomorrow at 9:00 America/New_York.')).toBe('America/New_York');
    expect(said('run hello at noon tomorrow in New York')).toBe('America/New_York');
    expect(said('run hello tomorrow at 9am', 'Europe/Berlin')).toBe('Europe/Berlin');
    expect(said('run the paris report every 2 hours')).toBeUndefined();
  });

  it('has its times in the zone of the job', () => {
    expect(withReadableTimes('It would run once at 2026-12-07 08:00 UTC.', 'Europe/Berlin')).toMatch(
      /^It would run once at Mon, 7 Dec 2026, 09:00 Europe\/Berlin/,
    );
    expect(withReadableTimes('daily, next 2026-12-07T08:00:00.000Z', 'Europe/Berlin')).toMatch(
      /^daily, next Mon, 7 Dec 2026, 09:00 Europe\/Berlin/,
    );
  });
});
