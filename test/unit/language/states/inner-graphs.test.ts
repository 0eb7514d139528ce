import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { stateTypes } from '../../../../src/language/states/registry.js';
import { noGraphs } from '../../../../src/language/states/state-type.js';
import { readCases, topics } from '../../engine/harness.js';
import { checkInnerGraphs, type InnerGraphsCase } from './check-inner-graphs.js';

const types = [...stateTypes].filter(([, { inner }]) => inner.map !== noGraphs.map || inner.calls !== noGraphs.calls);

function exampleOf(type: string): InnerGraphsCase | undefined {
  const found = topics.includes(type) ? readCases(type).find(({ contract }) => contract) : undefined;
  const [scenario] = Object.values(found?.scenarios ?? {}) as { input?: JsonObject }[];
  return found && { spec: found.spec, input: scenario?.input ?? {} };
}

describe.each(types)('the state type %s, which has inner graphs', (type) => {
  const example = exampleOf(type);

  it('has an example', () => {
    expect(
      example,
      `Add contract: true to a case of test/unit/engine/cases/${type}.yaml without a compensation whose first scenario succeeds and makes two calls or more inside the state, one after the other, with POST to https://service.test and a resultVar each.`,
    ).toBeDefined();
  });

  it.runIf(example)(
    'uses distinct ids for its calls, shows its position, and keeps changes of the context',
    async () => {
      await checkInnerGraphs(example!);
    },
  );
});
