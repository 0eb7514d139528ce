import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { pluginEffect } from '../../../../activities/plugin/plugin-effect.js';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { load } from '../../../../src/language/load-journey.js';
import { journeySchemaWith } from '../../../../src/language/schema/journey-schema.js';
import { type Plugin, type PluginCall, pluginFault } from '../../../../src/language/tasks/plugin/plugin-interface.js';
import { readPlugins, vocabularyWith } from '../../../../src/library/load-plugins.js';
import { loadScenarios } from '../../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../../src/scenarios/run-scenario.js';
import { InProcessApis } from '../../../../src/service/in-process/apis-and-guards.js';
import { apiRequest } from '../../../support/api-request.js';

const example = fileURLToPath(new URL('../../../../examples/plugin-slugify', import.meta.url));
const fields = { what: { type: 'mapper', description: 'What.' } } as const;

function document(task: string): string {
  return `
apiVersion: v1
kind: Api
metadata: { name: plug, version: 1.0.0 }
spec:
  start: go
  states:
    go: { type: task, task: ${task}, next: done }
    done: { type: succeed }
`;
}

/** Runs an Api with one task of a plugin. */
async function answer(plugin: Plugin, task: string) {
  const { definition, findings } = load({ text: document(task) }, { words: vocabularyWith([plugin]) });
  expect(findings).toEqual([]);
  const log = { error: () => undefined };
  const effects = { plugin: pluginEffect([plugin], async (ref) => `value of ${ref}`, log) };
  return await new InProcessApis(loadConfig({ env: {} }), effects).call(definition!, apiRequest({ a: 1 }));
}

const plugin = (run: Plugin['run'], more: Partial<Plugin> = {}): Plugin => ({
  kind: 'probe:v2',
  description: 'For tests.',
  fields,
  run,
  ...more,
});
const task = '{ kind: "probe:v2", what: { mapper: { lang: dataweave, expr: "context.a + 1" } }, resultVar: r }';

describe('a task kind of a plugin (JL 1.4)', () => {
  it('is read as its reader describes, by type and major version only', async () => {
    const words = vocabularyWith([
      plugin(() => null, { fields: { what: { ...fields.what, required: true } }, result: 'required' }),
    ]);
    const codes = (text: string) => load({ text: document(text) }, { words }).findings.map(({ code }) => code);
    expect(codes(task)).toEqual([]);
    expect(codes('{ kind: "probe:v1" }')).toEqual(['TASK_KIND_UNKNOWN']);
    expect(codes('{ kind: plugin }')).toEqual(['TASK_KIND_FORMAT']);
    expect(codes('{ kind: "probe:v2" }')).toEqual(['FIELD_REQUIRED', 'FIELD_REQUIRED']);
    expect(codes('{ kind: "probe:v2", what: 7, resultVar: r }')).toEqual(['FIELD_TYPE']);
    expect(
      codes('{ kind: "probe:v2", waht: 7, what: { mapper: { lang: dataweave, expr: "1" } }, resultVar: r }'),
    ).toEqual(['UNKNOWN_FIELD']);
    expect(load({ text: document(task) }).findings.map(({ code }) => code)).toEqual(['TASK_KIND_UNKNOWN']);
    expect(JSON.stringify(journeySchemaWith(words.tasks))).toContain('task.probe:v2');
  });

  it('gets its evaluated fields and the values that it requests, and its result is stored in resultVar', async () => {
    const calls: [JsonObject, PluginCall][] = [];
    const uses = ['context', 'platform'] as const;
    const { body } = await answer(
      plugin(
        async (input, how) => {
          calls.push([input, how]);
          return { got: input.what!, secret: await how.secret('secret://x') };
        },
        { uses },
      ),
      task,
    );
    expect(body).toEqual({ a: 1, r: { got: 2, secret: 'value of secret://x' } });
    const [[input, how]] = calls as [[JsonObject, PluginCall]];
    expect(input).toEqual({ what: 2 });
    expect(how).toMatchObject({ stateId: 'go', journey: { name: 'plug', version: '1.0.0' }, context: { a: 1 } });
    expect(how.platform).toMatchObject({ journey: { name: 'plug' } });
    expect(how.idempotencyKey).toMatch(/go#1$/);
  });

  it('that reports a problem ends the run with it', async () => {
    const reported = plugin((_, { problem }) => {
      throw problem({ code: 'NO_LUCK', title: 'No luck.', type: 'https://example.com/no-luck', status: 503 });
    });
    expect((await answer(reported, task)).body).toMatchObject({ code: 'NO_LUCK', type: 'https://example.com/no-luck' });
  });

  it.each<[string, Plugin['run']]>([
    ['throws', () => Promise.reject(new TypeError('hunter2'))],
    ['returns a value that is not JSON', () => 1n as never],
    ['never ends', () => new Promise<never>(() => undefined)],
    ['returns more than the server accepts', () => 'x'.repeat(2_500_000)],
    [
      'reports more than the server accepts',
      (_, { problem }) => Promise.reject(problem({ code: 'X', title: 'x'.repeat(2_500_000) })),
    ],
    ...([undefined, {}, { code: {} }, { code: 'X', title: 1n }] as never[]).map((it): [string, Plugin['run']] => [
      `reports ${inspect(it)} as its problem`,
      (_, { problem }) => Promise.reject(problem(it)),
    ]),
  ])('that %s ends the run with an internal error without details', async (_, run) => {
    const { status, body } = await answer(plugin(run, { timeoutMs: 50 }), task);
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'urn:journeyforge:error:internal', cause: 'PLUGIN_CRASHED' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it.each([
    [{ timeoutMs: -5 }, 'timeoutMs'],
    [{ timeoutMs: 1e15 }, 'timeoutMs'],
    [{ timeoutMs: 'soon' }, 'timeoutMs'],
    [{ result: 'maybe' }, 'result'],
    [{ uses: 'context' }, 'uses'],
    [{ safe: 'yes' }, 'safe'],
  ])('with %o is rejected', (given, named) => {
    const run = () => null;
    expect(pluginFault(plugin(run))).toBeUndefined();
    expect(pluginFault(plugin(run, given as unknown as Partial<Plugin>))).toContain(`${named} of probe:v2 must`);
  });

  it('ends the run if the process does not have it', async () => {
    const effect = pluginEffect([], async () => '', { error: () => undefined });
    const { signal } = new AbortController();
    await expect(effect({ plugin: 'probe:v2', input: {}, timeoutMs: 10 }, { signal })).rejects.toMatchObject({
      problem: { code: 'PLUGIN_MISSING' },
    });
  });
});

describe('the example plugin', () => {
  it('loads, and its scenarios pass with scripted results', async () => {
    const words = vocabularyWith(await readPlugins(['./index.js'], example));
    const { scenarios, findings } = await loadScenarios([example], { words });
    expect(findings).toEqual([]);
    expect(scenarios).toHaveLength(2);
    for (const { definition, scenario } of scenarios) {
      const { mismatches } = await runScenario(definition, scenario);
      expect(mismatches).toEqual([]);
    }
  });

  it.each([
    ['does not exist', ['./nowhere.js'], 'cannot be loaded'],
    ['is not an installed package', ['journeyman-plugin-nobody'], 'is not installed'],
    ['is listed twice', ['./index.js', './index.js'], 'two task kinds slugify:v1'],
    ['is not a plugin', ['./package.json'], 'cannot be used'],
  ])('is rejected if it %s', async (_, names, message) => {
    const error = (await readPlugins(names, example).catch((it) => it)) as Error & { problem: { code: string } };
    expect(error.problem.code).toBe('PLUGIN_INVALID');
    expect(error.message).toContain(message);
  });
});
