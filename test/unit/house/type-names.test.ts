import { describe, expect, it } from 'vitest';
import { readSources } from './sources.js';
import { otherMeanings, strayTypeNames, typeNamesIn } from './type-names.js';

const advice =
  'A state type or task kind answers for itself. Ask a column of StateType (src/language/states/state-type.ts, by the functions of ' +
  'state-queries.ts) or of TaskKind (src/language/tasks/task-kind.ts), and add one where none answers the question. ' +
  'Only a word that means something else belongs into otherMeanings (test/unit/house/type-names.ts).';

describe('names of state types and task kinds', () => {
  const sources = readSources();

  it('occur only in their own folders', () => {
    const found = strayTypeNames(sources).map(
      ({ file, line, name, text }) => `${file}:${line} names '${name}': ${text}`,
    );
    expect(found, advice).toEqual([]);
  });

  it('have no unused entry in the list of other meanings', () => {
    const found = typeNamesIn(sources);
    const unused = otherMeanings.flatMap(({ files, names, meaning }) =>
      names.filter((name) => !found.some((it) => it.name === name && files.test(it.file))).map((it) => [it, meaning]),
    );
    expect(unused).toEqual([]);
  });

  it.each([
    "if (state.type === 'timer') return;",
    "return state.type !== 'task';",
    "switch (type) {\n  case 'map':\n}",
    "['wait', 'webhook'].includes(type)",
    "const pausing = new Set(['timer']);",
    'const costs = { timer: 2, wait: 3 };',
    'const costs = {\n  timer: { events: 2 },\n  wait: { events: 3 },\n};',
    "type Step = Extract<State, { type: 'wait' }>;",
    "if (task.kind === 'httpCall:v1') return;",
  ])('are found in %s', (text) => {
    expect(strayTypeNames(new Map([['src/engine/a.ts', text]]))).not.toEqual([]);
    expect(strayTypeNames(new Map([['src/language/states/a.ts', text]]))).toEqual([]);
  });

  it('are not found in comments, nor as a single key', () => {
    const text = "/** Like 'timer'. */\nconst a = { task, map: 1 }; // not 'wait'\n";
    expect(strayTypeNames(new Map([['src/engine/a.ts', text]]))).toEqual([]);
  });
});
