import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { changedSinceRun } from '../../src/app/content-drift.js';
import { FileAudit } from '../../src/app/telemetry/audit-file.js';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { Questions } from '../../src/cli/run/ask-for-body.js';
import type { RunTools } from '../../src/cli/run/run-command-deps.js';
import { runCommand } from '../../src/cli/run/run-subcommands.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import { httpRequestOf } from '../../src/language/tasks/http-call/request-and-result-types.js';
import { definitionHash } from '../../src/library/read-document-file.js';
import { libraryOf } from '../../src/service/library-interface.js';
import { orchestratorsOf } from '../../src/service/orchestrators.js';
import { Starts } from '../../src/service/prepare-start-with-ajv.js';
import type { TrailEntry } from '../../src/service/run-trail.js';
import { runReport } from '../../src/temporal/runs/run-diagnostics.js';
import { journeyOf, type Rig, rig } from './support/rig.js';

/** Makes two calls with a step in between, and fails if the second call fails. */
const errand = (version = '1.0.0') => `
apiVersion: v1
kind: Journey
metadata: { name: errand, version: ${version} }
spec:
  input:
    schema:
      type: object
      required: [item]
      properties: { item: { type: string, description: What to fetch }, count: { type: integer, default: 1 } }
  start: look
  states:
    look:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "http://shop.test/look/\${context.item}", resultVar: look }
      next: note
    note:
      type: transform
      transform: { mapper: { lang: dataweave, expr: "{ seen: context.look.status }" }, target: { kind: var }, resultVar: note }
      next: approve
    approve:
      type: wait
      wait:
        channel: manual
        input: { schema: { type: object, required: [ok], properties: { ok: { type: boolean } } } }
      next: buy
    buy:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "http://shop.test/buy", body: { n: 1 }, resultVar: bought }
      next: fine
    fine:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.bought.status == 200" } }, next: done }]
      default: sold
    done: { type: succeed, outputVar: note }
    sold: { type: fail, errorCode: SOLD_OUT, reason: Nothing is left }
`;

interface Called {
  readonly url: string;
  readonly key: string | undefined;
}

describe('journeyman run', () => {
  let rigged: Rig;
  let tools: RunTools;
  let root: string;
  const calls: Called[] = [];
  let stock = 200;
  let beforeSale = async () => {};
  let served: Definition;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'journeyman-runs-'));
    const http = async (input: Json): Promise<Json> => {
      const { url, headers } = httpRequestOf(input);
      calls.push({ url, key: headers['idempotency-key'] });
      if (url.endsWith('/buy')) await beforeSale();
      return { ok: true, status: url.endsWith('/buy') ? stock : 200, headers: {}, body: {} };
    };
    rigged = await rig({ activities: asActivities({ http }), env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '1000' } });
    const { client, config, runs } = rigged;
    served = journeyOf(errand());
    const orchestrators = orchestratorsOf({
      ...config,
      orchestrators: { main: { ...config.orchestrators.main!, root } },
    });
    tools = {
      runs,
      starts: new Starts(config.platform),
      audit: new FileAudit(orchestrators, { info: () => undefined, error: () => undefined }),
      report: (id) => runReport(client, runs, id),
      library: async () => libraryOf([{ definition: served, hash: definitionHash(served) }]),
      close: async () => undefined,
    };
  });
  afterAll(async () => {
    await rigged.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function run(args: string[], answers?: string[]): Promise<string> {
    let printed = '';
    const write = (text: string) => {
      printed += text;
    };
    const questions: Questions = { canAsk: answers !== undefined, ask: async () => answers?.shift() ?? '' };
    const parts = { out: { write }, errors: { write: () => undefined }, questions, open: async () => tools };
    await runCommand(parts).parseAsync(args, { from: 'user' });
    process.exitCode = 0;
    return printed;
  }
  const json = async (...args: string[]) => JSON.parse(await run([...args, '--json']));

  it('R15-RUNS starts, prompts by the schema, follows, submits and shows the history of a run', async () => {
    const started = await run(['start', 'errand'], ['a pear', '']);
    expect(started).toContain('Waiting for a submission:');
    const id = /^Run +(\S+)$/m.exec(started)![1]!;
    expect((await rigged.runs.input(id)).context).toEqual({ item: 'a pear', count: 1 });

    const watched = run(['watch', id]);
    await run(['submit', id, '--field', 'ok=true']);
    const lines = await watched;
    expect(lines).toMatch(
      /→ look\n(.*\n)*.*→ note\n(.*\n)*.*→ approve\n(.*\n)*.*was submitted {2}approve\n(.*\n)*.*→ buy/,
    );
    expect(lines).toMatch(/ended {2}done {2}SUCCEEDED\n$/);

    const history = await json('history', id);
    expect(history).toMatchObject({ complete: true, phase: 'SUCCEEDED' });
    const visits = history.entries.filter(({ kind }: TrailEntry) => kind === 'visit');
    expect(history.entries.map(({ kind, state = '' }: TrailEntry & { state?: string }) => `${kind} ${state}`)).toEqual([
      'started ',
      'visit look',
      'visit note',
      'visit approve',
      'visit buy',
      'visit fine',
      'visit done',
      'ended done',
    ]);
    expect(visits[0].calls).toMatchObject([{ outcome: 'answered', status: 200, about: 'GET shop.test/look/a%20pear' }]);
    expect(visits[2].submissions).toMatchObject([{ payload: { ok: true } }]);
    expect(await run(['result', id])).toMatch(/Phase +SUCCEEDED\n/);
    const audited = readFileSync(join(root, 'automation', 'audit.jsonl'), 'utf8');
    expect(audited.match(/run\.(started|submitted)/g)).toEqual(['run.started', 'run.submitted']);
  });

  it('R15-RUNS finds failed runs by error and state, and counts them', async () => {
    stock = 500;
    const ids = await Promise.all(
      ['a', 'b'].map(async (item) => (await json('start', 'errand', '--field', `item=${item}`)).journeyId),
    );
    for (const id of ids) await run(['submit', id, '--input', '{"ok":true}']);
    const found = () => json('list', '--journey', 'errand', '--error', 'SOLD_OUT', '--state', 'sold');
    await expect.poll(async () => (await found()).length).toBe(2);
    expect((await found()).map(({ journeyId }: { journeyId: string }) => journeyId).sort()).toEqual([...ids].sort());
    expect(await json('list', '--journey', 'errand', '--error', 'OTHER')).toEqual([]);
    expect(await json('list', '--journey', 'errand', '--group')).toMatchObject([
      { runs: 2, error: 'SOLD_OUT', journeyName: 'errand', state: 'sold' },
    ]);
  });

  it('R15-RUNS a run that was reset with Temporal’s tool is listed once, by its newest execution', async () => {
    stock = 500;
    const { journeyId: id } = await json('start', 'errand', '--field', 'item=reset');
    await run(['submit', id, '--input', '{"ok":true}']);
    const found = async (...args: string[]) =>
      (await json('list', '--journey', 'errand', ...args)).filter((it: { journeyId: string }) => it.journeyId === id);
    await expect.poll(() => found('--failed')).toMatchObject([{ error: 'SOLD_OUT' }]);
    const { workflowService, options } = rigged.client;
    const { events } = await rigged.client.workflow.getHandle(id).fetchHistory();
    const { eventId } = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
    const reset = () =>
      workflowService.resetWorkflowExecution({
        namespace: options.namespace,
        workflowExecution: { workflowId: id },
        requestId: randomUUID(),
        workflowTaskFinishEventId: eventId!,
        // Exclude all: the submission is not reapplied.
        resetReapplyType: 2,
      });
    await reset();
    await expect.poll(() => found('--phase', 'RUNNING')).toHaveLength(1);
    expect(await found('--failed')).toEqual([]);
    expect(await found()).toMatchObject([{ phase: 'RUNNING' }]);
    // This reset terminates the previous execution, which was running.
    await reset();
    stock = 200;
    await expect.poll(async () => (await rigged.runs.status(id)).steps).toEqual(['approve']);
    await run(['submit', id, '--input', '{"ok":true}']);
    await expect.poll(() => found('--phase', 'SUCCEEDED')).toHaveLength(1);
    expect(await found('--failed')).toEqual([]);
    expect(await found()).toMatchObject([{ phase: 'SUCCEEDED' }]);
  });

  it('R15-RETRY reruns a failed run from the failed state, once, with its context and idempotency key, and records it', async () => {
    stock = 500;
    const { journeyId: id } = await json('start', 'errand', '--field', 'item=pear');
    await run(['submit', id, '--field', 'ok=true']);
    expect((await rigged.runs.result(id)).outcome.error).toMatchObject({ code: 'SOLD_OUT' });
    calls.length = 0;
    stock = 200;
    const first = await json('retry', id);
    expect(first).toMatchObject({ state: 'buy', repeated: false });
    expect(await json('retry', id)).toMatchObject({ repeated: true, run: { journeyId: first.run.journeyId } });
    await expect.poll(async () => (await rigged.runs.status(first.run.journeyId)).phase).toBe('SUCCEEDED');
    const { outcome } = await rigged.runs.result(first.run.journeyId);
    expect(outcome).toMatchObject({ output: { seen: 200 }, attributes: { retryOf: id } });
    // Only the failed call is repeated, under the same key, so that its service can recognise it.
    expect(calls).toEqual([{ url: 'http://shop.test/buy', key: `${id}/buy#4` }]);
    await expect(run(['retry', first.run.journeyId])).rejects.toMatchObject({
      problem: { code: 'RETRY_NOT_POSSIBLE' },
    });
    const audited = readFileSync(join(root, 'automation', 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const retried = audited.map((line) => JSON.parse(line)).filter(({ event }) => event === 'run.retried');
    expect(retried).toMatchObject([{ executionId: first.run.journeyId, detail: { retryOf: id, state: 'buy' } }]);
  });

  it('R15-RETRY reruns a terminated run, cached by its worker or not', async () => {
    stock = 200;
    for (const evicted of [false, true]) {
      const { journeyId: id } = await json('start', 'errand', '--field', 'item=fig');
      await rigged.client.workflow.getHandle(id).terminate('by mistake');
      if (evicted) await rigged.restartWorker();
      const again = await json('retry', id);
      expect(again).toMatchObject({ state: 'approve', repeated: false });
      await run(['submit', again.run.journeyId, '--field', 'ok=true']);
      expect((await rigged.runs.result(again.run.journeyId)).outcome).toMatchObject({ output: { seen: 200 } });
      expect(await json('reset', id, '--to', 'note', '--request-id', 'back')).toMatchObject({ state: 'note' });
    }
  });

  it('R15-RETRY reruns many runs at once, by journey and error', async () => {
    const retried = await json('retry', '--journey', 'errand', '--error', 'SOLD_OUT', '--yes');
    expect(retried).toHaveLength(3);
    expect(retried.filter(({ text }: { text: string }) => text.startsWith('rerun from buy as '))).toHaveLength(2);
    expect(retried.filter(({ text }: { text: string }) => text.startsWith('already rerun as '))).toHaveLength(1);
    await expect(run(['retry', '--journey', 'errand'])).rejects.toMatchObject({ problem: { code: 'USAGE_INVALID' } });
  });

  it('R15-RETRY with another context repeats the call under a new idempotency key, once for each context', async () => {
    stock = 500;
    const { journeyId: id } = await json('start', 'errand', '--field', 'item=pear');
    await run(['submit', id, '--field', 'ok=true']);
    expect((await rigged.runs.result(id)).outcome.error).toMatchObject({ code: 'SOLD_OUT' });
    calls.length = 0;
    stock = 200;
    const rerun = (more: JsonObject, key?: string) =>
      rigged.runs.rerun({ id, context: { note: { seen: 'edited' }, ...more }, ...(key !== undefined && { key }) });
    const { run: first, state } = await rerun({});
    expect(state).toBe('buy');
    expect(await rerun({})).toMatchObject({ repeated: true, run: { journeyId: first.journeyId } });
    await expect.poll(async () => (await rigged.runs.status(first.journeyId)).phase).toBe('SUCCEEDED');
    expect((await rigged.runs.result(first.journeyId)).outcome.output).toEqual({ seen: 'edited' });
    expect(calls).toEqual([{ url: 'http://shop.test/buy', key: `${first.journeyId}/buy#4` }]);
    const { run: keyed } = await rerun({}, 'k-1');
    expect(keyed.journeyId).not.toBe(first.journeyId);
    expect(await rerun({}, 'k-1')).toMatchObject({ repeated: true, run: { journeyId: keyed.journeyId } });
    await expect(rerun({ other: 1 }, 'k-1')).rejects.toMatchObject({ problem: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('R15-RETRY resets to an earlier state, also without effects, and with another version', async () => {
    stock = 200;
    const { journeyId: id } = await json('start', 'errand', '--field', 'item=plum');
    await expect(run(['reset', id, '--to', 'look'])).rejects.toMatchObject({ problem: { code: 'RESULT_NOT_READY' } });
    await run(['submit', id, '--field', 'ok=true']);
    await expect.poll(async () => (await rigged.runs.status(id)).phase).toBe('SUCCEEDED');
    calls.length = 0;
    const back = await json('reset', id, '--to', 'note');
    await expect.poll(async () => (await rigged.runs.status(back.run.journeyId)).steps).toEqual(['approve']);
    expect((await rigged.runs.input(back.run.journeyId)).carried?.position.root.context).toMatchObject({
      item: 'plum',
    });
    await run(['submit', back.run.journeyId, '--field', 'ok=true']);
    expect(calls).toEqual([{ url: 'http://shop.test/buy', key: `${back.run.journeyId}/buy#4` }]);
    await expect(run(['reset', id, '--to', 'nowhere'])).rejects.toMatchObject({ problem: { code: 'VISIT_UNKNOWN' } });

    const { entries } = await json('history', id);
    const { visit } = entries.find((it: TrailEntry) => it.kind === 'visit' && it.state === 'approve');
    served = journeyOf(errand('2.0.0'));
    const moved = await json('reset', id, '--visit', visit, '--current', '--request-id', 'one');
    expect(moved.run).toMatchObject({ journeyVersion: '2.0.0' });
    expect(await json('reset', id, '--visit', visit, '--current', '--request-id', 'one')).toMatchObject({
      repeated: true,
    });
    served = journeyOf(errand('3.0.0').replaceAll('approve', 'agree'));
    await expect(run(['reset', id, '--visit', visit, '--current'])).rejects.toMatchObject({
      problem: { code: 'MIGRATION_NOT_POSSIBLE' },
    });
    await run(['cancel', moved.run.journeyId]);
    served = journeyOf(errand());
  });

  it('R15-MOVE migrates waiting runs to another version, one or many, each recorded in the audit log', async () => {
    const start = async () => (await json('start', 'errand', '--field', 'item=fig')).journeyId as string;
    const [one, other] = [await start(), await start()];
    await expect(run(['migrate', one, '--to', '1.1.0'])).rejects.toMatchObject({
      problem: { code: 'JOURNEY_UNKNOWN' },
    });
    served = journeyOf(errand('1.1.0'));
    expect(await run(['migrate', one, '--to', '1.1.0'])).toBe(
      `${one} migrated from version 1.0.0 to 1.1.0, at approve\n`,
    );
    const unsure = run(['migrate', '--journey', 'errand', '--to', '1.1.0']);
    await expect(unsure).rejects.toMatchObject({ problem: { code: 'USAGE_INVALID' } });
    const many = () => json('migrate', '--journey', 'errand', '--state', 'approve', '--to', '1.1.0', '--yes');
    await expect
      .poll(async () => (await many()).map(({ journeyId }: { journeyId: string }) => journeyId))
      .toEqual(expect.arrayContaining([one, other]));
    expect((await rigged.runs.status(other)).journeyVersion).toBe('1.1.0');
    const audited = readFileSync(join(root, 'automation', 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const lines = audited.map((line) => JSON.parse(line)).filter(({ event }) => event === 'run.migrated');
    expect(lines.filter(({ executionId }) => executionId === other)).toMatchObject([
      { before: { journeyVersion: '1.0.0' }, after: { journeyVersion: '1.1.0' }, detail: { state: 'approve' } },
    ]);
    for (const id of [one, other]) await run(['cancel', id]);
    served = journeyOf(errand());
  });

  it('R15-RETRY inside branches, subjourneys and map items does not repeat completed work', async () => {
    const call = (path: string, next: string) =>
      `{ type: task, task: { kind: "httpCall:v1", method: POST, url: "http://shop.test/${path}", body: { n: 1 }, resultVar: got }, next: ${next} }`;
    const fine =
      '{ type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "context.got.status == 200" } }, next: end }], default: sold }';
    const buying = `buy: ${call('buy', 'fine')}, fine: ${fine}, sold: { type: fail, errorCode: SOLD_OUT, reason: None }, end: { type: succeed }`;
    const items = (atOnce: number) =>
      `{ type: map, map: { items: { mapper: { lang: dataweave, expr: "['note', 'buy']" } }, maxConcurrency: ${atOnce}, start: buy,
          states: { ${buying.replace('shop.test/buy', 'shop.test/${item}')} } }, next: done }`;
    const inner = {
      branch: `{ type: parallel, parallel: { join: { strategy: allOf }, branches: [
          { name: note, start: note, states: { note: ${call('note', 'end')}, end: { type: succeed } } },
          { name: buy, start: nap, states: { nap: { type: timer, timer: { duration: PT1S }, next: buy }, ${buying} } }] }, next: done }`,
      subjourney: '{ type: subjourney, subjourney: { ref: buying }, next: done }',
      item: items(1),
      items: items(2),
    };
    const byUrl = (made: typeof calls) => made.toSorted((a, b) => a.url.localeCompare(b.url));
    for (const [where, state] of Object.entries(inner)) {
      calls.length = 0;
      const text = `
apiVersion: v1
kind: Journey
metadata: { name: nested-${where}, version: 1.0.0 }
spec:
  start: first
  subjourneys: { buying: { start: buy, states: { ${buying} } } }
  states:
    first: ${call('first', 'inside')}
    inside: ${state}
    done: { type: succeed }
`;
      stock = 500;
      if (where === 'items')
        beforeSale = () => expect.poll(() => calls.some(({ url }) => /note$/.test(url))).toBe(true);
      const { journeyId } = await rigged.start(text);
      await expect.poll(async () => (await rigged.runs.status(journeyId)).phase).toBe('FAILED');
      // Calls that were in flight when the failed item started are repeated with their keys.
      const before = calls.splice(0).filter(({ url }) => /buy$/.test(url) || (where === 'items' && /note$/.test(url)));
      stock = 200;
      await rigged.restartWorker();
      const again = await json('retry', journeyId);
      expect(again, where).toMatchObject({ state: 'buy', repeated: false });
      const phase = async () => (await rigged.runs.status(again.run.journeyId)).phase;
      await expect.poll(phase).toBe('SUCCEEDED');
      expect(byUrl(calls), where).toEqual(byUrl(before));
      expect(calls, where).toHaveLength(where === 'items' ? 2 : 1);
      for (const { key } of calls) expect(key).toContain(`${journeyId}/inside`);
      beforeSale = async () => {};
    }
  });

  it('R15-WATCH detects content that changed under an unchanged version', async () => {
    const entry = (text: string) => {
      const definition = journeyOf(text);
      return { definition, hash: definitionHash(definition) };
    };
    const entries = [
      entry(errand()),
      entry(errand().replace('Nothing is left', 'All is gone')),
      entry(errand('9.0.0')),
    ];
    expect(await changedSinceRun(rigged.client, entries)).toEqual([entries[1]]);
  });

  it('LESS-9 submits the step of one item, prompts by its schema, and lists it in the history', async () => {
    const wait =
      '{ type: wait, wait: { channel: manual, input: { schema: { type: object, required: [ok] } } }, next: done }';
    const started = await rigged.start(
      `
apiVersion: v1
kind: Journey
metadata: { name: approvals, version: 1.0.0 }
spec:
  start: each
  states:
    each:
      type: map
      map:
        items: context.of
        start: approve
        states: { approve: ${wait}, done: { type: succeed, output: { expr: context.payload.ok } } }
        resultVar: all
      next: end
    end: { type: succeed, outputVar: all }
`,
      { of: ['a', 'b'] },
    );
    const id = started.journeyId;
    expect(started.steps).toEqual(['approve/0', 'approve/1']);
    await expect(run(['submit', id, '--field', 'ok=1'])).rejects.toThrow('approve/0, approve/1');
    await expect(run(['submit', id, 'approve', '--field', 'ok=1'])).rejects.toMatchObject({
      problem: { code: 'STEP_ITEM_REQUIRED' },
    });
    await run(['submit', id, 'approve/1', '--input', '{"ok":"late"}']);
    await run(['submit', id, '--input', '{"ok":"yes"}']);
    expect((await rigged.runs.result(id)).outcome.output).toEqual(['yes', 'late']);
    const { entries } = (await json('history', id)) as { entries: TrailEntry[] };
    const submitted = entries.flatMap((it) => (it.kind === 'visit' ? (it.submissions ?? []) : []));
    expect(submitted.map(({ payload }) => payload)).toEqual([{ ok: 'yes' }, { ok: 'late' }]);
  });
});
