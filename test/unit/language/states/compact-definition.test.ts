import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load-config.js';
import type { Definition } from '../../../../src/engine/definition/definition.js';
import {
  type CompactDefinition,
  compactDefinition,
  completeDefinition,
} from '../../../../src/language/states/compact-definition.js';
import { readJourneys } from '../../../../src/library/read-journeys.js';
import { readApiCatalogue } from '../../../../src/library/read-library.js';
import { runSettings } from '../../../../src/temporal/runs/run-start-options.js';
import { journeyArguments, newInput, readArguments } from '../../../../workflows/journey/build-workflow-input.js';
import { journey, languages, readCases, topics } from '../../engine/harness.js';

const config = loadConfig({ cwd: new URL('../../../..', import.meta.url).pathname, env: {} });

const travelled = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const threeCalls = (lastKind = 'httpCall:v1') => {
  const call = (n: number, next: string) => ({
    type: 'task',
    task: { kind: 'httpCall:v1', method: 'GET', url: `https://service.test/${n}`, resultVar: `r${n}` },
    next,
  });
  const other = {
    type: 'task',
    task: { kind: lastKind, operation: 'get', key: { expr: '"k"' }, resultVar: 'c' },
    next: 'end',
  };
  const last = lastKind === 'httpCall:v1' ? call(3, 'end') : other;
  const states = { a: call(1, 'b'), b: call(2, 'c'), c: last, end: { type: 'succeed' } };
  return journey({ start: 'a', states }, 'dataweave');
};

describe('NEW-27 the definition in the input of a run', () => {
  it.each(topics)('is restored exactly: %s', (topic) => {
    for (const given of readCases(topic)) {
      for (const lang of languages.filter((id) => given.lang === undefined || given.lang === id)) {
        const definition = journey(given.spec, lang, given);
        const compact = travelled(compactDefinition(definition));
        expect(completeDefinition(compact), given.name).toEqual(travelled(definition));
        expect(JSON.stringify(compact).length).toBeLessThan(JSON.stringify(definition).length);
      }
    }
  });

  it('is restored exactly for every example', async () => {
    const { catalogue } = await readApiCatalogue(config.catalogue);
    const { byName } = await readJourneys([config.specs], { catalogue });
    for (const { definition } of [...byName.values()].flat())
      expect(completeDefinition(travelled(compactDefinition(definition)))).toEqual(travelled(definition));
  });

  it('shares the common fields of tasks of a kind', () => {
    const { tasks, states } = compactDefinition(threeCalls());
    expect(Object.keys(tasks!['httpCall:v1']!).sort()).toEqual(
      ['accept', 'headers', 'method', 'mode', 'path', 'query', 'timeoutMs'].sort(),
    );
    expect(states.a).toEqual({
      type: 'task',
      task: { kind: 'httpCall:v1', url: 'https://service.test/1', resultVar: 'r1' },
      next: 'b',
    });
  });

  it('leaves fields that only some tasks have, and the only task of a kind, unchanged', () => {
    const definition = threeCalls('cache:v1');
    const compact = compactDefinition(definition);
    expect(Object.keys(compact.tasks!)).toEqual(['httpCall:v1']);
    expect(compact.states.c).toEqual(definition.states.c);
  });

  it('is also accepted in its complete form', () => {
    const definition = threeCalls();
    expect(completeDefinition(definition as CompactDefinition)).toEqual(definition);
  });
});

describe('NEW-27 the input of a run', () => {
  const input = (definition: Definition) =>
    newInput(runSettings(config), {
      definition,
      info: { id: 'r', config: {} },
      context: { n: 1 },
      tags: [],
      attributes: {},
    });

  it('leaves out the default configuration', () => {
    const [context, rest] = journeyArguments(input(threeCalls()));
    expect(context).toEqual({ n: 1 });
    expect(Object.keys(rest).sort()).toEqual(['definition', 'info', 'interpreter']);
    expect(rest.info).toEqual({ id: 'r' });
  });

  it('is restored exactly with any configuration', () => {
    const usual = input(threeCalls());
    const { limits, info } = usual;
    const { fuel: _, ...expression } = limits.expression;
    const unusual = {
      ...usual,
      tags: ['t'],
      attributes: { a: '1' },
      timezone: 'Europe/Berlin',
      info: { ...info, environment: 'prod', config: { a: {} }, callModes: { 'https://a': 'local' as const } },
      limits: { ...limits, steps: 7, expression: { ...expression, fuel: 1 }, duration: { maxSec: 60 } },
    };
    for (const it of [usual, unusual]) expect(readArguments(travelled(journeyArguments(it)))).toEqual(travelled(it));
  });
});
