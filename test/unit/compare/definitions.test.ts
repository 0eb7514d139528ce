import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { diffCommand } from '../../../src/cli/diff.js';
import { changesBetween } from '../../../src/compare/definitions.js';
import { schemaChanges } from '../../../src/compare/schemas.js';
import type { Definition } from '../../../src/definition/definition.js';
import type { Json } from '../../../src/json/value.js';
import { load } from '../../../src/language/load.js';

const order = `apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.0.0 }
spec:
  input: { schema: { type: object, required: [item], properties: { item: { type: string }, count: { type: integer } } } }
  output: { schema: { type: object, required: [status], properties: { status: { enum: [DONE] } } } }
  start: approve
  states:
    approve:
      type: wait
      wait: { channel: manual, input: { schema: { type: object, properties: { ok: { type: boolean } } } } }
      next: remind
    remind:
      type: task
      task: { kind: "schedule:v1", start: nudge, interval: P1D, maxRuns: 3 }
      next: done
    nudge: { type: succeed }
    done: { type: succeed }
    sold: { type: fail, errorCode: SOLD_OUT, reason: x }
`;

function read(text: string): Definition {
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
}

/** What breaks, and what is only told, when \`order\` becomes this. */
function told(change: (text: string) => string): { breaks: string[]; notes: string[] } {
  const changes = changesBetween(read(order), read(change(order)));
  const of = (breaking: boolean) => changes.filter((it) => it.breaking === breaking).map(({ code }) => code);
  return { breaks: of(true), notes: of(false) };
}
const raised = (version: string) => (text: string) => text.replace('1.0.0', version);

it('R15-DIFF nothing is told of equal content; changed content needs a version, and what breaks a major one', () => {
  expect(told((text) => text)).toEqual({ breaks: [], notes: [] });
  expect(told((text) => text.replace('reason: x', 'reason: y'))).toEqual({ breaks: ['DIFF_VERSION'], notes: [] });
  expect(told(raised('0.9.0')).breaks).toEqual(['DIFF_VERSION']);
  const needed = (text: string) => text.replace('[item]', '[item, count]');
  expect(told((text) => raised('1.1.0')(needed(text))).breaks).toEqual(['DIFF_INPUT', 'DIFF_VERSION']);
  expect(told((text) => raised('2.0.0')(needed(text))).breaks).toEqual(['DIFF_INPUT']);
});

it('R15-DIFF steps that are gone or refuse more, states that parked runs stand in, schedules, errors', () => {
  const up = raised('2.0.0');
  expect(told((text) => up(text.replaceAll('approve', 'agree'))).breaks).toEqual(['DIFF_STEP']);
  expect(told((text) => up(text.replaceAll('approve', 'agree'))).notes).toContain('DIFF_STATE');
  expect(told((text) => up(text.replace('ok: { type: boolean }', 'ok: { type: string }'))).breaks).toEqual([
    'DIFF_STEP',
  ]);
  expect(told((text) => up(text.replaceAll('nudge', 'poke'))).breaks).toEqual(['DIFF_SCHEDULE']);
  expect(told(up)).toEqual({ breaks: [], notes: ['DIFF_SCHEDULE'] });
  expect(told((text) => up(text.replace('SOLD_OUT', 'NO_STOCK'))).notes).toEqual([
    'DIFF_ERROR',
    'DIFF_ERROR',
    'DIFF_SCHEDULE',
  ]);
  expect(told((text) => up(text.replace('[DONE]', '[DONE, LATE]'))).breaks).toEqual(['DIFF_OUTPUT']);
  expect(
    told((text) => up(text.replace('spec:\n', 'spec:\n  lifecycle: { cancellable: false, startMode: async }\n')))
      .breaks,
  ).toEqual(['DIFF_START_MODE', 'DIFF_CANCEL']);
});

it('R15-DIFF what a client sends and what it reads break in opposite ways', () => {
  const breaks = (before: Json, after: Json) =>
    (['sent', 'read'] as const).map((way) => schemaChanges(before, after, way).some((it) => it.breaking));
  expect(breaks({ type: 'string' }, { type: ['string', 'null'] })).toEqual([false, true]);
  expect(breaks({ type: 'number' }, { type: 'integer' })).toEqual([true, false]);
  expect(breaks({ maximum: 5 }, { maximum: 9 })).toEqual([false, true]);
  expect(breaks({ properties: { a: {} } }, { properties: {} })).toEqual([false, true]);
  expect(breaks({}, { required: ['a'] })).toEqual([true, false]);
  expect(breaks({ description: 'a' }, { description: 'b' })).toEqual([false, false]);
  expect(breaks(true, { type: 'object' })).toEqual([true, false]);
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'journeyman-compared-'));
  mkdirSync(join(folder, 'specs'));
  const file = join(folder, 'specs', 'order.journey.yaml');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-C', folder, ...args], { stdio: 'ignore' });
  writeFileSync(join(folder, 'c.yaml'), 'specs: ./specs\n');
  writeFileSync(file, order);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  writeFileSync(file, order.replace('[item]', '[item, count]').replace('1.0.0', '1.1.0'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function diff(...args: string[]): Promise<[code: number, printed: string]> {
  let printed = '';
  const write = (text: string) => {
    printed += text;
  };
  await diffCommand({ write }).parseAsync([...args, '--config', join(folder, 'c.yaml')], { from: 'user' });
  const code = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  return [code, printed];
}

it('R15-DIFF compares a git revision with the folder as it is, and says by its exit code whether something breaks', async () => {
  const [code, printed] = await diff('HEAD');
  expect(code).toBe(1);
  expect(printed).toContain(
    'order 1.0.0 → 1.1.0\n  breaks callers: /count is required now. (DIFF_INPUT /spec/input/schema)',
  );
  expect(JSON.parse((await diff('HEAD', '--json'))[1])).toMatchObject([
    { name: 'order', before: '1.0.0', after: '1.1.0' },
  ]);
  expect(await diff('HEAD', 'HEAD')).toEqual([0, 'Nothing is different.\n']);
  await expect(diff('no-such-revision')).rejects.toMatchObject({ problem: { code: 'DIFF_SOURCE_UNKNOWN' } });
  await expect(diff('--output=x')).rejects.toThrow();
});
