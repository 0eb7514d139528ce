import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { diffCommand } from '../../../../src/cli/author/diff.js';
import type { Definition } from '../../../../src/engine/definition/definition.js';
import { changesBetween } from '../../../../src/language/compare/compare-definitions.js';
import { schemaChanges } from '../../../../src/language/compare/compare-schemas.js';
import { load } from '../../../../src/language/load-journey.js';

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

/** Breaking and other changes when \`order\` is changed like this. */
function diffOf(change: (text: string) => string, text = order): { breaks: string[]; notes: string[] } {
  const changes = changesBetween(read(text), read(change(text)));
  const of = (breaking: boolean) => changes.filter((it) => it.breaking === breaking).map(({ code }) => code);
  return { breaks: of(true), notes: of(false) };
}
const raised = (version: string) => (text: string) => text.replace('1.0.0', version);

it('R15-DIFF equal content has no changes; changed content needs a new version, and a breaking change a major one', () => {
  expect(diffOf((text) => text)).toEqual({ breaks: [], notes: [] });
  expect(diffOf((text) => text.replace('reason: x', 'reason: y'))).toEqual({ breaks: ['DIFF_VERSION'], notes: [] });
  expect(diffOf(raised('0.9.0')).breaks).toEqual(['DIFF_VERSION']);
  const needed = (text: string) => text.replace('[item]', '[item, count]');
  expect(diffOf((text) => raised('1.1.0')(needed(text))).breaks).toEqual(['DIFF_INPUT', 'DIFF_VERSION']);
  expect(diffOf((text) => raised('2.0.0')(needed(text))).breaks).toEqual(['DIFF_INPUT']);
});

it('R15-DIFF removed or stricter steps, removed states of parked runs, schedules, errors', () => {
  const up = raised('2.0.0');
  expect(diffOf((text) => up(text.replaceAll('approve', 'agree'))).breaks).toEqual(['DIFF_STEP']);
  expect(diffOf((text) => up(text.replaceAll('approve', 'agree'))).notes).toContain('DIFF_STATE');
  expect(diffOf((text) => up(text.replace('ok: { type: boolean }', 'ok: { type: string }'))).breaks).toEqual([
    'DIFF_STEP',
  ]);
  expect(diffOf((text) => up(text.replaceAll('nudge', 'poke'))).breaks).toEqual(['DIFF_SCHEDULE']);
  expect(diffOf(up)).toEqual({ breaks: [], notes: ['DIFF_SCHEDULE'] });
  expect(diffOf((text) => up(text.replace('SOLD_OUT', 'NO_STOCK'))).notes).toEqual([
    'DIFF_ERROR',
    'DIFF_ERROR',
    'DIFF_SCHEDULE',
  ]);
  expect(diffOf((text) => up(text.replace('[DONE]', '[DONE, LATE]'))).breaks).toEqual(['DIFF_OUTPUT']);
  expect(
    diffOf((text) => up(text.replace('spec:\n', 'spec:\n  lifecycle: { cancellable: false, startMode: async }\n')))
      .breaks,
  ).toEqual(['DIFF_START_MODE', 'DIFF_CANCEL']);
});

const parcel = `apiVersion: v1
kind: Api
metadata: { name: parcel, version: 1.0.0 }
spec:
  bindings:
    http:
      route: { path: '/parcels/{id}', method: GET }
      start:
        pathToContext: { id: parcelId }
        queryToContext: { lang: language }
        headersToContext: { X-User: user }
        headersPassthrough: [{ from: X-Trace, to: X-Trace }]
      apiResponses: { rules: [{ when: { phase: FAILED }, status: 422 }] }
  start: done
  states: { done: { type: succeed } }
`;

it('R15-DIFF an Api with another route, or that reads less of a request', () => {
  const after = (from: string, to: string) => diffOf((text) => raised('2.0.0')(text.replace(from, to)), parcel);
  const nothing = { breaks: [], notes: [] };
  expect(after('method: GET', 'method: POST')).toEqual({ breaks: ['DIFF_ROUTE'], notes: [] });
  expect(after('/parcels/', '/boxes/')).toEqual({ breaks: ['DIFF_ROUTE'], notes: [] });
  expect(after('lang:', 'locale:')).toEqual({ breaks: ['DIFF_BINDING'], notes: [] });
  expect(after('X-User:', 'X-Login:')).toEqual({ breaks: ['DIFF_BINDING'], notes: [] });
  expect(after('from: X-Trace', 'from: X-Span')).toEqual({ breaks: ['DIFF_BINDING'], notes: [] });
  expect(after('X-User:', 'x-user:')).toEqual(nothing);
  expect(after('{ lang: language }', '{ lang: language, page: page }')).toEqual(nothing);
  expect(after('lang: language', 'lang: tongue')).toEqual({ breaks: [], notes: ['DIFF_BINDING'] });
  expect(after('id: parcelId', 'id: box')).toEqual({ breaks: [], notes: ['DIFF_BINDING'] });
  expect(diffOf((text) => raised('2.0.0')(text.replace('{id}', '{box}').replace('id: p', 'box: p')), parcel)).toEqual(
    nothing,
  );
  expect(after('422', '409')).toEqual({ breaks: [], notes: ['DIFF_RESPONSES'] });
  const envelope = '  errors: { envelope: { format: custom, mapper: { lang: dataweave, expr: "{}" } } }\n  start: done';
  expect(after('  start: done', envelope)).toEqual({ breaks: ['DIFF_ENVELOPE'], notes: [] });
});

const hook = (block: string, more = '') => `apiVersion: v1
kind: Journey
metadata: { name: hook, version: 1.0.0 }
spec:
  ${more}
  start: paid
  states:
    paid: { type: webhook, webhook: { input: { schema: { type: object } }${block} }, next: each }
    each:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: '[1]' } }
        errorPolicy: all
        start: one
        states: { one: { type: succeed } }
      next: done
    done: { type: succeed }
    late: { type: succeed }
`;

it('R15-DIFF submitters that are rejected, and stricter limits of runs', () => {
  const between = (before: string, after: string) => diffOf(() => raised('2.0.0')(after), before);
  const signed = (preset: string, refs: string) => hook(`, signature: { preset: ${preset}, secretRefs: [${refs}] }`);
  const github = signed('github', '"secret://a"');
  const breaks = { breaks: ['DIFF_STEP'], notes: [] };
  const notes = { breaks: [], notes: ['DIFF_STEP'] };
  expect(between(hook(''), github)).toEqual(breaks);
  expect(between(github, hook(''))).toEqual(notes);
  expect(between(github, signed('stripe', '"secret://a"'))).toEqual(breaks);
  expect(between(github, signed('github', '"secret://b"'))).toEqual(breaks);
  expect(between(github, signed('github', '"secret://a", "secret://b"'))).toEqual({ breaks: [], notes: [] });
  const fixed = (correlate: string) =>
    hook(
      `, signature: { preset: github, secretRefs: ["secret://a"] }, correlate: ${correlate}`,
      'key: { expr: context.id, lang: dataweave }',
    );
  const byId = 'expr: payload.id, lang: dataweave';
  const starting = 'startIfMissing: { input: { expr: "{ id: payload.id }", lang: dataweave } }';
  const keyed = hook(
    ', signature: { preset: github, secretRefs: ["secret://a"] }',
    'key: { expr: context.id, lang: dataweave }',
  );
  expect(between(keyed, fixed(`{ ${byId} }`))).toEqual(notes);
  expect(between(fixed(`{ ${byId} }`), keyed)).toEqual(breaks);
  expect(between(fixed(`{ ${byId} }`), fixed('{ expr: payload.key, lang: dataweave }'))).toEqual(breaks);
  expect(between(fixed(`{ ${byId} }`), fixed(`{ ${byId}, dedupe: { ${byId} } }`))).toEqual(notes);
  expect(between(fixed(`{ ${byId} }`), fixed(`{ ${byId}, ${starting} }`))).toEqual(notes);
  expect(between(fixed(`{ ${byId}, ${starting} }`), fixed(`{ ${byId} }`))).toEqual(breaks);
  const timed = (sec: number) => hook(`, timeoutSec: ${sec}, onTimeout: late`);
  expect(between(hook(''), timed(60))).toEqual(notes);
  expect(between(timed(60), timed(90))).toEqual({ breaks: [], notes: [] });
  const bound = hook('', 'bindings: { http: { steps: { paid: { headersToContext: { X-By: by } } } } }');
  expect(between(bound, hook(''))).toEqual({ breaks: ['DIFF_BINDING'], notes: [] });
  const namesake = hook('', 'subjourneys: { other: { start: paid, states: { paid: { type: succeed } } } }');
  expect(between(namesake, namesake)).toEqual({ breaks: [], notes: [] });
  const policy = (text: string) => hook('').replace('errorPolicy: all', `errorPolicy: ${text}`);
  expect(between(hook(''), policy('first'))).toEqual({ breaks: ['DIFF_POLICY'], notes: [] });
  expect(between(policy('{ tolerate: 2 }'), policy('{ tolerate: 1 }'))).toEqual({ breaks: ['DIFF_POLICY'], notes: [] });
  expect(between(policy('first'), hook(''))).toEqual({ breaks: [], notes: ['DIFF_POLICY'] });
  const limited = hook('', 'execution: { maxDurationSec: 60, onTimeout: { errorCode: LATE, reason: late } }');
  expect(between(hook(''), limited)).toEqual({ breaks: [], notes: ['DIFF_DURATION'] });
  expect(between(hook(''), hook('', 'httpSurface: { links: { enabled: false } }'))).toEqual({
    breaks: ['DIFF_LINKS'],
    notes: [],
  });
});

/** A review with a single step, or with one in the items of a map. */
const review = (inItems: boolean, key = '') => {
  const states = `approve: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }, done: { type: succeed }`;
  const map = `review: { type: map, map: { items: context.of, ${key}start: approve, states: { ${states} } }, next: done }, done: { type: succeed }`;
  return `
apiVersion: v1
kind: Journey
metadata: { name: review, version: 1.0.0 }
spec:
  start: ${inItems ? 'review' : 'approve'}
  states: { ${inItems ? map : states} }
`;
};

it('LESS-9 a step that moves into or out of the items of a map, and items with other keys', () => {
  const breaks = (before: string, after: string) => diffOf(() => raised('2.0.0')(after), before).breaks;
  expect(breaks(review(false), review(true))).toEqual(['DIFF_STEP']);
  expect(breaks(review(true), review(false))).toEqual(['DIFF_STEP']);
  expect(breaks(review(true), review(true, 'key: item.id, '))).toEqual(['DIFF_POLICY']);
  expect(breaks(review(true), review(true, 'until: context.enough, '))).toEqual([]);
});

it('R15-DIFF changes of sent and of received data break in opposite ways', () => {
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
  await diffCommand({ write })
    .exitOverride()
    .parseAsync([...args, '--config', join(folder, 'c.yaml')], { from: 'user' });
  const code = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  return [code, printed];
}

it('R15-DIFF compares a git revision with the working copy, and exits with 1 if something breaks', async () => {
  const [code, printed] = await diff('HEAD');
  expect(code).toBe(1);
  expect(printed).toContain(
    'order 1.0.0 → 1.1.0\n  breaks callers: /count is now required. (DIFF_INPUT /spec/input/schema)',
  );
  expect(JSON.parse((await diff('HEAD', '--json'))[1])).toMatchObject([
    { name: 'order', before: '1.0.0', after: '1.1.0' },
  ]);
  expect(await diff('HEAD', 'HEAD')).toEqual([0, 'No changes.\n']);
  await expect(diff('no-such-revision')).rejects.toMatchObject({ problem: { code: 'DIFF_SOURCE_UNKNOWN' } });
  await expect(diff('--output=x')).rejects.toThrow();
});

it('R15-DIFF reports added and removed pipelines and topics', async () => {
  const [old, now] = ['old', 'now'].map((side) => join(folder, side)) as [string, string];
  const pipeline = (name: string, ...topics: string[]) => `
apiVersion: v1
kind: Pipeline
metadata: { name: ${name}, version: 1.0.0 }
spec:
  topics: { ${topics.map((it) => `${it}: {}`).join(', ')} }
  consumers: { work: { topics: [${topics.join(', ')}], journey: sort } }
`;
  const write = (side: string, name: string, ...topics: string[]) =>
    writeFileSync(join(side, `${name}.pipeline.yaml`), pipeline(name, ...topics));
  for (const side of [old, now]) {
    mkdirSync(side);
    writeFileSync(
      join(side, 'sort.journey.yaml'),
      'apiVersion: v1\nkind: Journey\nmetadata: { name: sort, version: 1.0.0 }\nspec: { start: done, states: { done: { type: succeed } } }\n',
    );
    write(side, 'same', 'mail');
  }
  write(old, 'going', 'mail');
  write(old, 'inbox', 'mail', 'spam');
  write(now, 'inbox', 'mail');
  expect(await diff(now, old)).toEqual([0, expect.stringContaining('pipeline going is new (1.0.0)')]);
  const [code, printed] = await diff(old, now);
  expect(code).toBe(1);
  expect(printed).toBe(
    'pipeline going was 1.0.0\n' +
      '  breaks deployment: going was removed: the next deployment pauses it. Its events stay pending. (DIFF_GONE)\n\n' +
      'pipeline inbox 1.0.0 → 1.0.0\n' +
      '  breaks callers: The topic spam was removed: events can no longer be published to it. While it has pending events, the document is rejected. (DIFF_TOPIC /spec/topics)\n',
  );
  write(now, 'coming', 'mail');
  expect(JSON.parse((await diff(old, now, '--json'))[1])).toContainEqual({
    kind: 'Pipeline',
    name: 'coming',
    before: null,
    after: '1.0.0',
    changes: [],
  });
});
