import { describe, expect, it } from 'vitest';
import { specCodes } from '../../../src/base/problems/codes/spec.js';
import { load } from '../../../src/language/load-journey.js';
import { readFaults, topics } from '../engine/harness.js';
import { blockCases } from './cases/blocks.js';
import type { FaultCase } from './cases/case.js';
import { compatCases } from './cases/compat.js';
import { documentCases } from './cases/document.js';
import { graphCases } from './cases/graphs.js';
import { stateCases } from './cases/states.js';
import { taskCases } from './cases/tasks.js';
import { wayCases } from './cases/ways.js';

const groups: Record<string, FaultCase[]> = {
  document: documentCases,
  graphs: graphCases,
  states: stateCases,
  tasks: taskCases,
  blocks: blockCases,
  compatibility: compatCases,
  'the ways of a run': wayCases,
  ...Object.fromEntries(topics.map((topic) => [`the engine's topic ${topic}`, readFaults(topic)])),
};

/** Line and column of the mark, and the text without it. */
function unmark(text: string): { text: string; place?: { line: number; column: number } } {
  const at = text.indexOf('§');
  if (at === -1) return { text };
  const before = text.slice(0, at).split('\n');
  return {
    text: text.slice(0, at) + text.slice(at + 1),
    place: { line: before.length, column: before.at(-1)!.length + 1 },
  };
}

for (const [group, cases] of Object.entries(groups).filter(([, { length }]) => length > 0))
  describe(`findings about ${group}`, () => {
    it.each(cases.map((each) => ({ ...each, name: `${each.code}${each.about ? ` (${each.about})` : ''}` })))(
      '$name',
      ({ code, text: marked, severity = 'error', options = {}, also = [], hint, path }) => {
        const { text, place } = unmark(marked);
        const { definition, findings } = load({ text, ...(path === undefined ? {} : { path }) }, options);
        const found = findings.filter((finding) => finding.code === code);
        expect(findings.map((finding) => finding.code)).toContain(code);
        if (place) expect(found.map(({ line, column }) => ({ line, column }))).toContainEqual(place);
        expect(found.every((finding) => finding.severity === severity)).toBe(true);
        if (hint !== undefined) expect(found[0]?.hint).toContain(hint);
        const errors = findings.filter((finding) => finding.severity === 'error' && finding.code !== code);
        expect(errors.map((finding) => finding.code).filter((other) => !also.includes(other as 'IDENT'))).toEqual([]);
        expect(definition === undefined).toBe(severity === 'error');
      },
    );
  });

describe('the registry of findings', () => {
  /** Reported by the gateway, the configuration check or the reader of folders instead. */
  const elsewhere = [
    'SPEC_INVALID',
    'CONFIG_MISSING',
    'JOURNEY_DUPLICATE',
    'ALLOW_UNUSED',
    'ROUTE_DUPLICATE',
    'WORKFLOW_JOURNEY',
    'JOURNEY_FILE_UNREADABLE',
  ];
  const proven = new Set(Object.values(groups).flatMap((cases) => cases.map(({ code }) => code as string)));

  it('has a case for every code', () => {
    expect(Object.keys(specCodes).filter((code) => !elsewhere.includes(code) && !proven.has(code))).toEqual([]);
  });
});
