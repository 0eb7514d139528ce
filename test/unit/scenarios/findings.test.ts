import { describe, expect, it } from 'vitest';
import { parseSource } from '../../../src/base/document/parse-yaml.js';
import type { Json } from '../../../src/base/json/value.js';
import { validate } from '../../../src/json-schema/validate.js';
import { readScenarios } from '../../../src/scenarios/read/read-scenario-file.js';
import { scenarioSchema } from '../../../src/scenarios/read/scenario-schema.js';

/** The findings about a file; `|` precedes the location. */
const wrong: [name: string, text: string, finding: { code: string; hint?: unknown }][] = [
  ['no scenarios', '|journey: a.yaml\n', { code: 'FIELD_REQUIRED' }],
  [
    'an unknown key',
    'scenarios:\n  a:\n    |exepct: {phase: FAILED}\n    expect: {phase: FAILED}\n',
    { code: 'UNKNOWN_FIELD', hint: 'Did you mean "expect"?' },
  ],
  [
    'an unknown expectation',
    'scenarios:\n  a:\n    expect: {|phse: FAILED}\n',
    { code: 'UNKNOWN_FIELD', hint: 'Did you mean "phase"?' },
  ],
  ['no expectation', 'scenarios:\n  |a:\n    input: {}\n', { code: 'FIELD_REQUIRED' }],
  ['an empty expectation', 'scenarios:\n  a:\n    |expect: {}\n', { code: 'FIELD_REQUIRED' }],
  [
    'an unknown phase',
    'scenarios:\n  a:\n    expect: {phase: |DONE}\n',
    { code: 'FIELD_TYPE', hint: expect.stringContaining('SUCCEEDED') },
  ],
  [
    'a duration',
    'scenarios:\n  a:\n    steps: [{step: x, at: |5m}]\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_DURATION' },
  ],
  ['an instant', 'scenarios:\n  a:\n    now: |"tomorrow"\n    expect: {phase: FAILED}\n', { code: 'SCENARIO_INSTANT' }],
  [
    'an unquoted instant',
    'scenarios:\n  a:\n    now: |2030-01-01\n    expect: {phase: FAILED}\n',
    { code: 'DOC_YAML_IMPLICIT_TYPE' },
  ],
  [
    'a call without method',
    'scenarios:\n  a:\n    backend: [{call: |https://a.test/, reply: {}}]\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_CALL' },
  ],
  [
    'neither call nor operation',
    'scenarios:\n  a:\n    backend:\n      - |reply: {}\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_CALL' },
  ],
  [
    'a rule without reply',
    'scenarios:\n  a:\n    backend:\n      - |call: GET https://a.test/\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_REPLY' },
  ],
  [
    'a reply that is no status',
    'scenarios:\n  a:\n    backend: [{call: GET https://a.test/, reply: {status: |700}}]\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_REPLY' },
  ],
  [
    'an unknown failure',
    'scenarios:\n  a:\n    backend: [{call: GET https://a.test/, reply: {fail: |netwrok}}]\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_REPLY', hint: 'Did you mean "network"?' },
  ],
  [
    'two moments',
    'scenarios:\n  a:\n    steps: [{step: x, at: PT1S, |afterState: y}]\n    expect: {phase: FAILED}\n',
    { code: 'SCENARIO_TIMING' },
  ],
  [
    'a step without id',
    'scenarios:\n  a:\n    steps:\n      - |payload: 1\n    expect: {phase: FAILED}\n',
    { code: 'FIELD_REQUIRED' },
  ],
  [
    'a cancel without moment',
    'scenarios:\n  a:\n    |cancel: {}\n    expect: {phase: FAILED}\n',
    { code: 'FIELD_REQUIRED' },
  ],
  ['broken YAML', 'scenarios:\n  a: [|\n', { code: 'DOC_PARSE' }],
];

describe('findings', () => {
  it.each(wrong)('%s', (_, marked, { code, hint }) => {
    const at = marked.indexOf('|');
    const text = marked.slice(0, at) + marked.slice(at + 1);
    const before = marked.slice(0, at).split('\n');
    const { findings } = readScenarios(text);
    expect(findings).toContainEqual(
      expect.objectContaining({
        code,
        severity: 'error',
        ...(code !== 'DOC_PARSE' && { line: before.length, column: before.at(-1)!.length + 1 }),
        ...(hint === undefined ? {} : { hint }),
      }),
    );
  });

  it('about shared parts are reported once', () => {
    const text = 'given: {now: x}\nscenarios:\n  a: {expect: {phase: FAILED}}\n  b: {expect: {phase: FAILED}}\n';
    expect(readScenarios(text).findings.map(({ code }) => code)).toEqual(['SCENARIO_INSTANT']);
  });

  it.each(wrong.filter(([, , { code }]) => !code.startsWith('DOC_')))(
    'are also reported by the published schema: %s',
    (_, marked) => {
      const value = parseSource(marked.replace('|', '')).value as Json;
      expect(validate(scenarioSchema, value).length > 0).toBe(true);
    },
  );
});
