import { describe, expect, it } from 'vitest';
import { stateTypes } from '../../../../src/language/states/registry.js';
import { noGraphs } from '../../../../src/language/states/state-type.js';
import { recordings } from '../../../temporal/support/recordings.js';
import { readCases, topics } from '../../engine/harness.js';

/** Cases in virtual time, and journeys with recorded histories. */
const cases = JSON.stringify(topics.map(readCases));
const recorded = Object.values(recordings)
  .map(({ journey }) => journey('http://service.test'))
  .join('\n');

describe.each([...stateTypes])('the state type %s', (type, { schema, inner }) => {
  it('names its inner graphs if its schema allows any', () => {
    const holdsGraphs = JSON.stringify(schema).includes('#/$defs/states');
    expect(inner.map !== noGraphs.map).toBe(holdsGraphs);
  });

  it('has cases that run, and a recorded history', () => {
    expect(cases).toContain(`"type":"${type}"`);
    expect(recorded).toMatch(new RegExp(`type: ${type}\\b|"type":"${type}"`));
  });
});
