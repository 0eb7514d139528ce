import { describe, expect, it } from 'vitest';
import { addSubmission } from '../../../../src/console/playground/worker/add-submission-to-scenario.js';
import { readScript } from '../../../../src/scenarios/read/read-scenario-file.js';

const schema = { type: 'object', properties: { day: { type: 'string', format: 'date' }, ok: { type: 'boolean' } } };
const payload = { day: '2026-01-01', ok: true };

describe('addSubmission', () => {
  it.each([
    ['an empty text', '', 1],
    ['an empty object', '{}', 1],
    ['other fields, with comments', '# kept\ninput: { a: 1 }\n', 1],
    ['steps', 'steps:\n  - { step: first, payload: { a: 1 } }\n', 2],
    ['steps in one line', 'steps: [{ step: first }]\n', 2],
  ])('adds a step with a sample to %s', (_, scenario, count) => {
    const text = addSubmission({ scenario, step: 'approve', schema, sinceStartMs: 90_000 });
    const { scenarios, findings } = readScript(text);
    expect(findings).toEqual([]);
    const { steps } = scenarios[0]!.scenario;
    expect(steps).toHaveLength(count);
    expect(steps.at(-1)).toMatchObject({ step: 'approve', payload, at: { millis: 90_000 } });
    if (scenario.startsWith('#')) expect(text).toContain('# kept');
  });
});
