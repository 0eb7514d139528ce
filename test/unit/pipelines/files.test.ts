import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { validateCommand } from '../../../src/cli/author/validate.js';
import { readJourneys } from '../../../src/library/read-journeys.js';
import { readLibrary } from '../../../src/library/read-library.js';
import { readPipelines } from '../../../src/library/read-pipelines.js';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';
import { runPipelineScenario } from '../../../src/scenarios/pipelines/run-pipeline-scenario.js';
import { runTest } from '../scenarios/run-test.js';

const journey = `
apiVersion: v1
kind: Journey
metadata: { name: count, version: 1.0.0 }
spec: { start: done, states: { done: { type: succeed, outputVar: events } } }
`;
const pipeline = (version: string) => `
apiVersion: v1
kind: Pipeline
metadata: { name: pairs, version: ${version} }
spec:
  topics: { things: {} }
  consumers:
    pair:
      topics: [things]
      journey: count
      prepare: { lang: jsonata, expr: 'pending.things < 2 ? null : [events.things[0], events.things[1]]' }
`;
const scenarios = `
scenarios:
  two make a pair:
    do:
      - publish: { topic: things, id: a, payload: 1 }
        expect: { consumers: { pair: { state: sleeping } } }
      - publish: { topic: things, id: b, payload: 2 }
    expect:
      events: { things: [{ id: a, status: consumed }, { id: b, status: consumed }] }
`;

let folder: string;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'journeyman-pipelines-'));
  write('count.journey.yaml', journey);
  write('pairs.pipeline.yaml', pipeline('1.0.0'));
  write('pairs.scenario.yaml', scenarios);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('pipelines in a folder', () => {
  it('are in the library, with a hash of their document and journeys', async () => {
    const library = await readLibrary({ specs: folder, catalogue: { overlays: [] } });
    expect(library.findings).toEqual([]);
    const [entry] = library.pipelines();
    expect(entry).toMatchObject({ definition: { name: 'pairs' }, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    write('count.journey.yaml', journey.replace('1.0.0', '1.0.1'));
    const changed = (await readLibrary({ specs: folder, catalogue: { overlays: [] } })).pipelines()[0];
    expect(changed?.hash).not.toBe(entry?.hash);
  });

  it('that are given as paths use the journeys next to them; the higher of two versions counts', async () => {
    const file = join(folder, 'pairs.pipeline.yaml');
    const none = await readJourneys([file]);
    expect([none.files, none.findings]).toEqual([[], []]);
    expect((await readPipelines([file], none)).findings).toEqual([]);
    write('newer.pipeline.yaml', pipeline('1.1.0'));
    write('same.pipeline.yaml', pipeline('1.1.0'));
    const { pipelines, findings } = await readPipelines([folder], await readJourneys([folder]));
    expect(pipelines.map(({ definition }) => definition.version)).toEqual(['1.1.0']);
    expect(findings).toMatchObject([{ code: 'JOURNEY_DUPLICATE', file: join(folder, 'same.pipeline.yaml') }]);
    for (const name of ['newer', 'same']) rmSync(join(folder, `${name}.pipeline.yaml`));
  });

  it('are reported with their file if they cannot be read', async () => {
    const file = join(folder, 'nowhere.pipeline.yaml');
    const { findings } = await readPipelines([file], await readJourneys([folder]));
    expect(findings).toMatchObject([{ file, code: 'JOURNEY_FILE_UNREADABLE' }]);
  });
});

it('GAP-21 a pipeline in a subfolder uses the journeys of the specs folder, in every command', async () => {
  const specs = mkdtempSync(join(tmpdir(), 'journeyman-specs-'));
  mkdirSync(join(specs, 'pipelines'));
  writeFileSync(join(specs, 'count.journey.yaml'), journey);
  const file = join(specs, 'pipelines/pairs.pipeline.yaml');
  writeFileSync(file, pipeline('1.0.0'));
  writeFileSync(join(specs, 'pipelines/pairs.scenario.yaml'), scenarios);
  vi.stubEnv('JOURNEYMAN_SPECS', specs);
  try {
    expect((await readLibrary({ specs, catalogue: { overlays: [] } })).findings).toEqual([]);
    for (const path of [specs, join(specs, 'pipelines'), file])
      expect((await runTest(path)).out, path).toMatch(/1 passed, 0 failed\n$/);
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    for (const path of [specs, join(specs, 'pipelines'), file]) {
      await validateCommand().parseAsync(['--format', 'json', path], { from: 'user' });
      expect(JSON.parse(log.mock.lastCall![0]), path).toMatchObject({ valid: true, findings: [] });
    }
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
    rmSync(specs, { recursive: true });
  }
});

describe('scenarios of a pipeline', () => {
  it('run in virtual time, with expressions in any language', async () => {
    const { pipelines, findings } = await loadScenarios([join(folder, 'pairs.scenario.yaml')]);
    expect(findings).toEqual([]);
    expect(await runPipelineScenario(pipelines[0]!.pipeline, pipelines[0]!.scenario)).toMatchObject({ passed: true });
  });

  it('report mismatches with their locations', async () => {
    const resolve = '      - resolve: { handler: pair, how: skip }\n    expect:\n';
    const wrong = scenarios
      .replace('    expect:\n', resolve)
      .replace('{ id: b, status: consumed }', '{ id: b, status: pending }');
    write('pairs.wrong.scenario.yaml', `pipeline: pairs.pipeline.yaml\n${wrong}`);
    const { pipelines } = await loadScenarios([join(folder, 'pairs.wrong.scenario.yaml')]);
    const { mismatches } = await runPipelineScenario(pipelines[0]!.pipeline, pipelines[0]!.scenario);
    expect(mismatches).toMatchObject([
      { subject: 'do', message: 'rejected with RUN_NOT_SUSPENDED: No run of pair is suspended.', line: 9 },
      { subject: 'events.things[1].status', message: 'expected "pending", got "consumed"', line: 11 },
    ]);
  });

  it('report the reason of a failed run that was expected to commit', async () => {
    write(
      'odd.pipeline.yaml',
      pipeline('1.0.0').replace('pairs', 'odd').replace('pending.things < 2', '$error("odd")'),
    );
    const runs = 'runs: [{ handler: pair, status: committed }]';
    write('odd.scenario.yaml', `${scenarios.split('        expect')[0]}    expect: { ${runs} }\n`);
    const { pipelines } = await loadScenarios([join(folder, 'odd.scenario.yaml')]);
    const { mismatches } = await runPipelineScenario(pipelines[0]!.pipeline, pipelines[0]!.scenario);
    expect(mismatches).toMatchObject([
      { subject: 'runs[0].status', message: expect.stringContaining('got "failed" (JSONATA_EVALUATION_ERROR: ') },
    ]);
    rmSync(join(folder, 'odd.pipeline.yaml'));
  });

  it.each([
    ['publish: { topic: thing, id: a, payload: 1 }', 'expect: { topics: { thing: {} } }', 'SCENARIO_TOPIC_UNKNOWN'],
    ['trigger: pairs', '', 'SCENARIO_HANDLER_UNKNOWN'],
    ['resolve: { handler: pair, how: perhaps }', '', 'FIELD_TYPE'],
    ['advance: 5 minutes', '', 'SCENARIO_DURATION'],
    ['pause: false', '', 'FIELD_TYPE'],
    ['pause: true', 'resume: true', 'FIELD_REQUIRED'],
    ['publsh: {}', '', 'UNKNOWN_FIELD'],
  ])('with %s %s are rejected with %s', async (action, more, code) => {
    const text = `pipeline: pairs.pipeline.yaml\nscenarios:\n  x:\n    do:\n      - ${action}\n${more && `        ${more}\n`}    expect: { status: running }\n`;
    write('bad.scenario.yaml', text);
    const { pipelines, findings } = await loadScenarios([join(folder, 'bad.scenario.yaml')]);
    expect(pipelines).toEqual([]);
    expect(findings.map((it) => it.code)).toContain(code);
    expect(findings[0]?.line).toBeGreaterThan(3);
  });

  it('fail after an unexpected rejection', async () => {
    const text =
      'pipeline: pairs.pipeline.yaml\nscenarios:\n  x:\n    do: [{ publish: { topic: nowhere, payload: 1 } }]\n    expect: { status: running }\n';
    write('refused.scenario.yaml', text);
    const { pipelines } = await loadScenarios([join(folder, 'refused.scenario.yaml')]);
    const { mismatches } = await runPipelineScenario(pipelines[0]!.pipeline, pipelines[0]!.scenario);
    expect(mismatches).toMatchObject([{ message: expect.stringContaining('rejected with TOPIC_UNKNOWN'), line: 4 }]);
  });

  it('fail if a pipeline triggers itself endlessly or its journeys lack a value', async () => {
    const feed = journey
      .replace('name: count', 'name: feed')
      .replace('spec: {', 'spec: { platform: { config: { key: { type: string, required: true } } },')
      .replace('succeed, outputVar: events', 'succeed');
    write('feed.journey.yaml', feed);
    const own = pipeline('1.0.0')
      .replace('name: pairs', 'name: circle')
      .replace('journey: count', 'journey: feed\n      publishes: [things]')
      .replace(
        /prepare: .*/,
        `input: { mapper: { lang: jsonata, expr: '{"publish": [{"topic": "things", "payload": 1}]}' } }`,
      );
    write('circle.pipeline.yaml', own);
    const text = (config: string) => `
pipeline: circle.pipeline.yaml
scenarios:
  x:
    config: ${config}
    do: [{ publish: { topic: things, payload: 1 } }]
    expect: { status: running }
`;
    const played = async (config: string) => {
      write('circle.scenario.yaml', text(config));
      const { pipelines } = await loadScenarios([join(folder, 'circle.scenario.yaml')]);
      return await runPipelineScenario(pipelines[0]!.pipeline, pipelines[0]!.scenario, { mostRuns: 20 });
    };
    expect((await played('{ feed: { key: k } }')).mismatches).toMatchObject([
      { message: expect.stringMatching(/^The pipeline does not become idle: more than 20 runs at one instant/) },
    ]);
    expect((await played('{}')).mismatches).toMatchObject([
      { message: expect.stringContaining('platform.config.key is required') },
    ]);
  });
});
