import type { Json, JsonObject } from '../../json/value.js';
import type { Words } from '../../reading/reading.js';
import { stateTypes } from '../../states/index.js';

/** Picks a schema by the value of one property: editors then complain about that alternative only. */
function choose(property: string, description: string, schemas: Iterable<[string, Json]>): JsonObject {
  const all = [...schemas];
  return {
    type: 'object',
    required: [property],
    description,
    properties: { [property]: { enum: all.map(([name]) => name), description } },
    allOf: all.map(([name, then]) => ({
      if: { properties: { [property]: { const: name } }, required: [property] },
      then,
    })),
  };
}

/** The parts of the schema that describe states, with these task kinds. */
export const stateParts = (kinds: Words['tasks']): Record<string, JsonObject> => ({
  states: {
    type: 'object',
    minProperties: 1,
    additionalProperties: { $ref: '#/$defs/state' },
    description: 'States by id.',
  },
  state: choose(
    'type',
    'What the state does.',
    [...stateTypes.keys()].map((type): [string, Json] => [type, { $ref: `#/$defs/state.${type}` }]),
  ),
  task: choose(
    'kind',
    'The kind of task, and what it needs.',
    [...kinds.keys()].map((kind): [string, Json] => [kind, { $ref: `#/$defs/task.${kind}` }]),
  ),
  ...Object.fromEntries([...stateTypes].map(([type, { schema }]) => [`state.${type}`, schema])),
  ...Object.fromEntries([...kinds].map(([kind, { schema }]) => [`task.${kind}`, schema])),
});
