import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scenarioFilesAffectedBy } from '../../../src/cli/author/test/test.js';
import { runTest as run } from './run-test.js';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  mkdirSync(join(folder, 'loops'));
  writeFileSync(join(folder, 'loops', 'poll.journey.yaml'), poll);
  writeFileSync(join(folder, 'loops', 'poll.scenario.yaml'), `${replies}  never:\n    expect: { phase: SUCCEEDED }\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  process.exitCode = 0;
});

const poll = `
apiVersion: v1
kind: Journey
metadata: { name: poll, version: 1.0.0 }
spec:
  start: ask
  states:
    ask:
      type: task
      task: { kind: httpCall:v1, method: GET, url: https://jobs.test/job, timeoutMs: 1000, resultVar: job }
      next: ready
    ready:
      type: choice
      choices:
        - when: { predicate: { lang: dataweave, expr: context.job.body.state == "done" } }
          next: done
      default: pause
    pause: { type: timer, timer: { duration: PT1M }, next: ask }
    done: { type: succeed }
`;
const replies = `given:
  backend: [{ call: GET https://jobs.test/job, reply: { body: { state: pending } } }]
scenarios:
`;

describe('R15-test coverage', () => {
  it('lists states and transitions that no scenario reaches, with their locations', async () => {
    const { out } = await run(`${fixtures}/refund.scenario.yaml`, '--coverage', '--filter', 'nobody');
    expect(out).toMatch(/Coverage: states \d+ of \d+ \(\d+ %\), transitions \d+ of \d+ \(\d+ %\)/);
    expect(out).toMatch(/not entered: \S+ {2}\S*refund\.journey\.yaml:\d+:\d+/);
    expect(out).toMatch(/not taken: \S+ → \S+ {2}\S*refund\.journey\.yaml:\d+:\d+/);
  });

  it('fails below the threshold, and can be JSON', async () => {
    const { error, exitCode } = await run(
      `${fixtures}/refund.scenario.yaml`,
      '--coverage-threshold',
      '100',
      '--filter',
      'nobody',
    );
    expect(error).toMatch(/The coverage is below 100 %: states \d+ %/);
    expect(exitCode).toBe(1);
    const { out } = await run(`${fixtures}/refund.scenario.yaml`, '--coverage', '--format', 'json');
    expect(JSON.parse(out).coverage).toMatchObject({
      states: { all: expect.any(Number) },
      journeys: [{ journey: 'refund' }],
    });
  });

  it('reports a journey without scenarios as not covered', async () => {
    const { out } = await run(`${folder}/loops`, '--coverage', '--filter', 'nothing like this');
    expect(out).toContain('poll 1.0.0: states 0 of 4 (0 %)');
  });
});

describe('R15-test JUnit', () => {
  it('has a suite for each file and a case for each scenario, with failures and their locations', async () => {
    const file = join(folder, 'report.xml');
    const { out } = await run(fixtures, '--filter', 'wrong things', '--junit', file, '--format', 'junit');
    expect(readFileSync(file, 'utf8')).toBe(out);
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(out);
    expect(testsuites.testsuite).toMatchObject({ '@_tests': '1', '@_failures': '1' });
    expect(testsuites.testsuite.testcase).toMatchObject({
      '@_name': 'expects the wrong things',
      failure: { '#text': expect.stringMatching(/elapsed: expected PT1S, got PT0S\s+\S*wrong\.scenario\.yaml:17:7/) },
    });
  });
});

describe('R15-test failures', () => {
  it('stop an endless loop after a few rounds, with the state and its line', async () => {
    const { out } = await run(join(folder, 'loops'), '--format', 'json');
    const [scenario] = JSON.parse(out).scenarios;
    expect(scenario.mismatches[0].message).toBe(
      'The run did not become idle: it returns to pause with the same context repeatedly.',
    );
    expect(scenario.run.calls.length).toBeLessThan(10);
    expect(scenario.endedAt).toMatchObject({ state: 'pause', line: 18, column: 5 });
  });

  it('also stop a loop with a counter', async () => {
    writeFileSync(
      join(folder, 'count.journey.yaml'),
      poll
        .replace('name: poll', 'name: count')
        .replace('PT1M }, next: ask', 'PT1M }, next: add')
        .replace(
          '    done:',
          `    add:
      type: transform
      transform: { mapper: { lang: dataweave, expr: '(context.n default 0) + 1' }, target: { kind: var }, resultVar: n }
      next: ask
    done:`,
        ),
    );
    writeFileSync(join(folder, 'count.scenario.yaml'), `${replies}  never:\n    expect: { phase: SUCCEEDED }\n`);
    const { out } = await run(join(folder, 'count.scenario.yaml'));
    expect(out).toMatch(/The run did not become idle: it entered (ask|ready) more than 10000 times/);
  });

  it('do not include a loop that ends because its replies change', async () => {
    const file = join(folder, 'loops', 'poll.ends.scenario.yaml');
    const many = Array.from({ length: 20 }, () => '{ body: { state: pending } }').join(', ');
    writeFileSync(
      file,
      `scenarios:
  ends:
    backend: [{ call: GET https://jobs.test/job, replies: [${many}, { body: { state: done } }] }]
    expect: { phase: SUCCEEDED, elapsed: PT20M }
`,
    );
    const { out } = await run(file);
    rmSync(file);
    expect(out).toMatch(/1 passed, 0 failed\n$/);
  });
});

it('R15-test --watch reruns scenarios affected by a change', async () => {
  const [poller, other] = [join(folder, 'loops', 'poll.scenario.yaml'), `${fixtures}/refund.scenario.yaml`];
  const about = new Map([
    [poller, join(folder, 'loops', 'poll.journey.yaml')],
    [other, `${fixtures}/refund.journey.yaml`],
    [`${fixtures}/wrong.scenario.yaml`, `${fixtures}/refund.journey.yaml`],
  ]);
  const paths = [join(folder, 'loops'), other];
  expect(await scenarioFilesAffectedBy([join(folder, 'loops', 'poll.journey.yaml')], paths, about)).toEqual([poller]);
  expect(await scenarioFilesAffectedBy([other], paths, about)).toEqual([other]);
  expect(await scenarioFilesAffectedBy([join(folder, 'apis', 'jobs.openapi.yaml')], paths, about)).toEqual([
    poller,
    other,
  ]);
});
