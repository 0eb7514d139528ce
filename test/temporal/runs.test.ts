import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/activity.js';
import { FileAudit } from '../../src/app/audit.js';
import type { Questions } from '../../src/cli/form.js';
import { runCommand } from '../../src/cli/run.js';
import type { RunTools } from '../../src/cli/run-tools.js';
import type { Definition } from '../../src/definition/definition.js';
import type { Json, JsonObject } from '../../src/json/value.js';
import { definitionHash } from '../../src/library/document.js';
import { libraryOf } from '../../src/service/library.js';
import { orchestratorsOf } from '../../src/service/orchestrators.js';
import type { HistoryLine } from '../../src/service/run-history.js';
import { Starts } from '../../src/service/start.js';
import { changedSinceRun } from '../../src/temporal/ran-before.js';
import { runReport } from '../../src/temporal/run-report.js';
import { journeyOf, type Rig, rig } from './support/rig.js';

/** Calls twice, asks somebody in between, and fails when the second call answers badly. */
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
      const { url, headers } = input as { url: string; headers: JsonObject };
      calls.push({ url, key: headers['idempotency-key'] as string | undefined });
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

  it('R15-RUNS starts, asks for what a schema wants, follows, submits and tells what became of a run', async () => {
    const started = await run(['start', 'errand'], ['a pear', '']);
    expect(started).toContain('It waits for somebody:');
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
    expect(history).toMatchObject({ more: false, partial: false });
    expect(history.lines.map(({ kind, state = '' }: HistoryLine) => `${kind} ${state}`)).toEqual([
      'started ',
      'entered look',
      'answered look',
      'entered note',
      'entered approve',
      'submitted approve',
      'entered buy',
      'called buy',
      'answered buy',
      'entered fine',
      'entered done',
      'ended done',
    ]);
    expect(history.lines.find(({ kind }: HistoryLine) => kind === 'submitted').data).toEqual({ ok: true });
    expect(await run(['result', id])).toMatch(/Phase +SUCCEEDED\n/);
    const audited = readFileSync(join(root, 'automation', 'audit.jsonl'), 'utf8');
    expect(audited.match(/run\.(started|submitted)/g)).toEqual(['run.started', 'run.submitted']);
  });

  it('R15-RUNS finds failed runs by error and state, and counts them', async () => {
    stock = 500;
    const ids = await Promise.all(
      ['a', 'b'].map(async (item) => (await json('start', 'errand', '--field', `item=${item}`)).id),
    );
    for (const id of ids) await run(['submit', id, '--data', '{"ok":true}']);
    const found = () => json('list', '--journey', 'errand', '--error', 'SOLD_OUT', '--state', 'sold');
    await expect.poll(async () => (await found()).length).toBe(2);
    expect((await found()).map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    expect(await json('list', '--journey', 'errand', '--error', 'OTHER')).toEqual([]);
    expect(await json('list', '--journey', 'errand', '--group')).toMatchObject([
      { runs: 2, error: 'SOLD_OUT', journeyName: 'errand', state: 'sold' },
    ]);
  });

  it('R15-RUNS a run that was reset with Temporal’s own tool is one line, as its newest execution is', async () => {
    stock = 500;
    const { id } = await json('start', 'errand', '--field', 'item=reset');
    await run(['submit', id, '--data', '{"ok":true}']);
    const found = async (...args: string[]) =>
      (await json('list', '--journey', 'errand', ...args)).filter((it: { id: string }) => it.id === id);
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
        // Exclude all: the submission is not made again.
        resetReapplyType: 2,
      });
    await reset();
    await expect.poll(() => found('--phase', 'RUNNING')).toHaveLength(1);
    expect(await found('--failed')).toEqual([]);
    expect(await found()).toMatchObject([{ phase: 'RUNNING' }]);
    // The one before it, which ran, is terminated by this one.
    await reset();
    stock = 200;
    await expect.poll(async () => (await rigged.runs.status(id)).steps).toEqual(['approve']);
    await run(['submit', id, '--data', '{"ok":true}']);
    await expect.poll(() => found('--phase', 'SUCCEEDED')).toHaveLength(1);
    expect(await found('--failed')).toEqual([]);
    expect(await found()).toMatchObject([{ phase: 'SUCCEEDED' }]);
  });

  it('R15-RETRY goes on where a run failed, once, with its context and the key of its call; each in the audit log', async () => {
    stock = 500;
    const { id } = await json('start', 'errand', '--field', 'item=pear');
    await run(['submit', id, '--field', 'ok=true']);
    expect((await rigged.runs.result(id)).outcome.error).toMatchObject({ code: 'SOLD_OUT' });
    calls.length = 0;
    stock = 200;
    const first = await json('retry', id);
    expect(first).toMatchObject({ state: 'buy', repeated: false });
    expect(await json('retry', id)).toMatchObject({ repeated: true, run: { id: first.run.id } });
    await expect.poll(async () => (await rigged.runs.status(first.run.id)).phase).toBe('SUCCEEDED');
    const { outcome } = await rigged.runs.result(first.run.id);
    expect(outcome).toMatchObject({ output: { seen: 200 }, attributes: { retryOf: id } });
    // Only the call that failed is made again, and whoever remembers its key knows it.
    expect(calls).toEqual([{ url: 'http://shop.test/buy', key: `${id}/buy#4` }]);
    await expect(run(['retry', first.run.id])).rejects.toMatchObject({ problem: { code: 'RETRY_NOT_POSSIBLE' } });
    const audited = readFileSync(join(root, 'automation', 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const retried = audited.map((line) => JSON.parse(line)).filter(({ event }) => event === 'run.retried');
    expect(retried).toMatchObject([{ executionId: first.run.id, detail: { retryOf: id, state: 'buy' } }]);
  });

  it('R15-RETRY goes on with a run that was terminated, whether or not its worker has forgotten it', async () => {
    stock = 200;
    for (const forgotten of [false, true]) {
      const { id } = await json('start', 'errand', '--field', 'item=fig');
      await rigged.client.workflow.getHandle(id).terminate('by mistake');
      if (forgotten) await rigged.restartWorker();
      const again = await json('retry', id);
      expect(again).toMatchObject({ state: 'approve', repeated: false });
      await run(['submit', again.run.id, '--field', 'ok=true']);
      expect((await rigged.runs.result(again.run.id)).outcome).toMatchObject({ output: { seen: 200 } });
      expect(await json('reset', id, '--to', 'note', '--request-id', 'back')).toMatchObject({ state: 'note' });
    }
  });

  it('R15-RETRY many at once, by journey and error', async () => {
    const retried = await json('retry', '--journey', 'errand', '--error', 'SOLD_OUT', '--yes');
    expect(retried).toHaveLength(3);
    expect(retried.filter(({ text }: { text: string }) => text.startsWith('goes on from buy as '))).toHaveLength(2);
    expect(retried.filter(({ text }: { text: string }) => text.startsWith('goes on already as '))).toHaveLength(1);
    await expect(run(['retry', '--journey', 'errand'])).rejects.toMatchObject({ problem: { code: 'USAGE_INVALID' } });
  });

  it('R15-RETRY goes back to an earlier state, which a pure one may be, and there by another version', async () => {
    stock = 200;
    const { id } = await json('start', 'errand', '--field', 'item=plum');
    await expect(run(['reset', id, '--to', 'look'])).rejects.toMatchObject({ problem: { code: 'RESULT_NOT_READY' } });
    await run(['submit', id, '--field', 'ok=true']);
    await expect.poll(async () => (await rigged.runs.status(id)).phase).toBe('SUCCEEDED');
    calls.length = 0;
    const back = await json('reset', id, '--to', 'note');
    await expect.poll(async () => (await rigged.runs.status(back.run.id)).steps).toEqual(['approve']);
    expect((await rigged.runs.input(back.run.id)).carried?.position.root.context).toMatchObject({ item: 'plum' });
    await run(['submit', back.run.id, '--field', 'ok=true']);
    expect(calls).toEqual([{ url: 'http://shop.test/buy', key: `${back.run.id}/buy#4` }]);
    await expect(run(['reset', id, '--to', 'nowhere'])).rejects.toMatchObject({ problem: { code: 'MOMENT_UNKNOWN' } });

    const { lines } = await json('history', id);
    const { visit } = lines.find(({ kind, state }: HistoryLine) => kind === 'entered' && state === 'approve');
    served = journeyOf(errand('2.0.0'));
    const moved = await json('reset', id, '--visit', visit, '--current', '--request-id', 'one');
    expect(moved.run).toMatchObject({ journeyVersion: '2.0.0' });
    expect(await json('reset', id, '--visit', visit, '--current', '--request-id', 'one')).toMatchObject({
      repeated: true,
    });
    served = journeyOf(errand('3.0.0').replaceAll('approve', 'agree'));
    await expect(run(['reset', id, '--visit', visit, '--current'])).rejects.toMatchObject({
      problem: { code: 'MOVE_NOT_POSSIBLE' },
    });
    await run(['cancel', moved.run.id]);
    served = journeyOf(errand());
  });

  it('R15-MOVE moves runs that wait to another version, one or many, each with a line in the audit log', async () => {
    const start = async () => (await json('start', 'errand', '--field', 'item=fig')).id as string;
    const [one, other] = [await start(), await start()];
    await expect(run(['move', one, '--to', '1.1.0'])).rejects.toMatchObject({ problem: { code: 'JOURNEY_UNKNOWN' } });
    served = journeyOf(errand('1.1.0'));
    expect(await run(['move', one, '--to', '1.1.0'])).toBe(`${one} moved from version 1.0.0 to 1.1.0, at approve\n`);
    const unsure = run(['move', '--journey', 'errand', '--to', '1.1.0']);
    await expect(unsure).rejects.toMatchObject({ problem: { code: 'USAGE_INVALID' } });
    const many = () => json('move', '--journey', 'errand', '--state', 'approve', '--to', '1.1.0', '--yes');
    await expect
      .poll(async () => (await many()).map(({ id }: { id: string }) => id))
      .toEqual(expect.arrayContaining([one, other]));
    expect((await rigged.runs.status(other)).journeyVersion).toBe('1.1.0');
    const audited = readFileSync(join(root, 'automation', 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const lines = audited.map((line) => JSON.parse(line)).filter(({ event }) => event === 'run.moved');
    expect(lines.filter(({ executionId }) => executionId === other)).toMatchObject([
      { before: { journeyVersion: '1.0.0' }, after: { journeyVersion: '1.1.0' }, detail: { state: 'approve' } },
    ]);
    for (const id of [one, other]) await run(['cancel', id]);
    served = journeyOf(errand());
  });

  it('R15-RETRY inside branches, subjourneys and items of a map: what has ended is not done again', async () => {
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
      const { id } = await rigged.start(text);
      await expect.poll(async () => (await rigged.runs.status(id)).phase).toBe('FAILED');
      // What was in flight when the failed item began is made again, with the key that it had.
      const before = calls.splice(0).filter(({ url }) => /buy$/.test(url) || (where === 'items' && /note$/.test(url)));
      stock = 200;
      await rigged.restartWorker();
      const again = await json('retry', id);
      expect(again, where).toMatchObject({ state: 'buy', repeated: false });
      const phase = async () => (await rigged.runs.status(again.run.id)).phase;
      await expect.poll(phase).toBe('SUCCEEDED');
      expect(byUrl(calls), where).toEqual(byUrl(before));
      expect(calls, where).toHaveLength(where === 'items' ? 2 : 1);
      for (const { key } of calls) expect(key).toContain(`${id}/inside`);
      beforeSale = async () => {};
    }
  });

  it('R15-WATCH content that changed under an unchanged version is found by what ran', async () => {
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
});
