import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testCommand } from '../../../src/cli/author/test/test.js';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';

const folder = mkdtempSync(join(tmpdir(), 'expectations-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  process.exitCode = 0;
});

const journey = `
apiVersion: v1
kind: Journey
metadata: { name: two-calls, version: 1.0.0 }
spec:
  platform: { config: { limit: { type: integer, required: true } } }
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: a
            start: call
            states:
              call: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://a.test/x", body: { n: 1 }, resultVar: r }, next: done }
              done: { type: succeed }
          - name: b
            start: call
            states:
              call: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://a.test/x", body: { n: 2 }, resultVar: r }, next: done }
              done: { type: succeed }
        join: { strategy: allOf, mapper: { lang: dataweave, expr: "{}" }, resultVar: joined }
      next: ask
    ask: { type: wait, wait: { channel: manual, input: { schema: {} }, timeoutSec: 3600, onTimeout: late }, next: done }
    late: { type: fail, errorCode: EXPIRED, reason: Nobody answered }
    done: { type: succeed }
`;

async function play(fields: string) {
  writeFileSync(join(folder, 'two-calls.journey.yaml'), journey);
  const file = join(folder, 'two-calls.scenario.yaml');
  const backend = 'backend: [{ call: POST https://a.test/x, reply: { status: 201 } }]';
  writeFileSync(file, `given:\n  config: { limit: 3 }\n  ${backend}\nscenarios:\n  it: ${fields}\n`);
  const { scenarios, findings } = await loadScenarios([file]);
  const mismatches = [];
  for (const { definition, scenario } of scenarios)
    mismatches.push(...(await runScenario(definition, scenario)).mismatches);
  return {
    codes: findings.map(({ code }) => code),
    mismatches: mismatches.map((it) => `${it.subject}: ${it.message}`),
  };
}

const clean = { codes: [], mismatches: [] };

describe('FLT-23 a scenario can expect', () => {
  it('calls of branches in any order, each with its own body', async () => {
    const calls = (...ns: number[]) => ns.map((n) => `{ call: POST https://a.test/x, body: { n: ${n} } }`).join(', ');
    expect(await play(`{ expect: { callsInAnyOrder: [${calls(2, 1)}] } }`)).toEqual(clean);
    expect((await play(`{ expect: { calls: [${calls(2, 1)}] } }`)).mismatches).toHaveLength(2);
    expect((await play(`{ expect: { callsInAnyOrder: [${calls(2, 3)}] } }`)).mismatches).toEqual([
      'callsInAnyOrder[1].body.n: expected 3, got 1',
    ]);
    expect((await play(`{ expect: { callsInAnyOrder: [${calls(1)}] } }`)).mismatches).toEqual([
      'callsInAnyOrder: unexpected POST https://a.test/x',
    ]);
  });

  it('the reason, the termination kind, and the due time of a waiting run', async () => {
    const ended = '{ expect: { terminationKind: Fail, errorCode: EXPIRED, reason: Nobody answered } }';
    expect(await play(ended)).toEqual(clean);
    expect((await play('{ expect: { terminationKind: Timeout, reason: Too late } }')).mismatches).toEqual([
      'terminationKind: expected "Timeout", got "Fail"',
      'reason: expected "Too late", got "Nobody answered"',
    ]);
    expect(await play('{ expect: { phase: RUNNING, dueAt: PT1H } }')).toEqual(clean);
    expect((await play('{ expect: { phase: RUNNING, dueAt: PT2H } }')).mismatches).toEqual([
      'dueAt: expected PT7200S, got PT3600S',
    ]);
  });

  it('a rejection for a shared configuration key that is removed with null', async () => {
    expect(await play('{ config: { limit: null }, expect: { refused: CONFIG_MISSING } }')).toEqual(clean);
    expect((await play('{ config: { limit: null }, expect: { phase: FAILED } }')).mismatches[0]).toContain(
      '/spec/platform/config/limit',
    );
  });

  it('nothing besides a rejection, because it would be ignored', async () => {
    const { codes } = await play('{ expect: { refused: CONFIG_MISSING, phase: FAILED, calls: [] } }');
    expect(codes).toEqual(['SCENARIO_EXPECT', 'SCENARIO_EXPECT']);
  });
});

it('FLT-23 test accepts --catalogue and --overlay like validate', async () => {
  const text = `${journey.replace('two-calls', 'by-operation')}`.replaceAll(
    'method: POST, url: "https://a.test/x"',
    'operationRef: shop.order',
  );
  const own = mkdtempSync(join(folder, 'api-'));
  writeFileSync(join(own, 'by-operation.journey.yaml'), text);
  writeFileSync(
    join(own, 'by-operation.scenario.yaml'),
    'scenarios:\n  it:\n    config: { limit: 1 }\n    backend: [{ operation: shop.order, reply: {} }]\n    expect: { phase: FAILED }\n',
  );
  const overlay = mkdtempSync(join(folder, 'overlay-'));
  writeFileSync(
    join(overlay, 'shop.openapi.yaml'),
    'openapi: 3.1.0\ninfo: { title: shop, version: 1.0.0 }\nservers: [{ url: "https://a.test" }]\npaths: { /x: { post: { operationId: order, responses: {} } } }\n',
  );
  const run = async (...args: string[]) => {
    let out = '';
    const stream = { write: (it: string) => (out += it) };
    await testCommand({ out: stream, error: stream }).parseAsync([own, ...args], { from: 'user' });
    return out;
  };
  expect(await run()).toContain('OPREF_API');
  expect(await run('--overlay', overlay)).toMatch(/1 passed, 0 failed/);
});
