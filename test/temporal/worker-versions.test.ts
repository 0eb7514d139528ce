import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { eventually } from '../support/eventually.js';
import { type Backend, backend } from './support/backend.js';
import { type Answer, type VersionedInstallation, versionedInstallation } from './support/versioned-workers.js';

const journey = (name: string, spec: string) =>
  `apiVersion: v1\nkind: Journey\nmetadata: { name: ${name}, version: 1.0.0 }\nspec:\n${spec}`;

/** A call of each kind: a local activity, an ordinary one, one on the gateway's queue. */
const order = (url: string) =>
  journey(
    'order',
    `
  bindings: { http: { start: { headersPassthrough: [{ from: X-Passed, to: X-Passed }] } } }
  start: price
  states:
    price: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/price", resultVar: price }, next: pay }
    pay: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/pay", resultVar: paid }, next: done }
    done: { type: succeed }
`,
  );
const plain = (url: string) =>
  order(url)
    .replace(/^ {2}bindings.*\n/m, '')
    .replace('name: order', 'name: plain');

/** Waits for a person, then calls. */
const approval = (url: string) =>
  journey(
    'approval',
    `
  lifecycle: { startMode: async }
  start: approve
  states:
    approve: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: pay }
    pay: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/pay", resultVar: paid }, next: done }
    done: { type: succeed }
`,
  );

/** A long run that continues as new several times. Each iteration is a timer. */
const polling = (turns: number) =>
  journey(
    'polling',
    `
  lifecycle: { startMode: async }
  start: turn
  states:
    turn: { type: timer, timer: { duration: PT0.2S }, next: count }
    count:
      type: transform
      transform: { mapper: { lang: dataweave, expr: "context ++ { n: (context.n default 0) + 1 }" }, target: { kind: context } }
      next: enough
    enough:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.n < ${turns}" } }, next: turn }]
      default: done
    done: { type: succeed }
`,
  );

const notes = (name: string) => `
apiVersion: v1
kind: Pipeline
metadata: { name: ${name}, version: 1.0.0 }
spec:
  topics: { notes: {} }
  consumers: { take: { topics: [notes], journey: plain, input: { mapper: { lang: dataweave, expr: "{}" } } } }
`;

const historyLimit = 'limits: { historyEvents: 60 }\n';

describe('HOME-3 a rolling upgrade of three workers under load', () => {
  let called: Backend;
  let home: VersionedInstallation;
  const pipeline = `notes-${process.pid}`;
  beforeAll(async () => {
    called = await backend();
    const documents = {
      'order.journey.yaml': order(called.url),
      'plain.journey.yaml': plain(called.url),
      'approval.journey.yaml': approval(called.url),
      'polling.journey.yaml': polling(400),
      'notes.pipeline.yaml': notes(pipeline),
    };
    const more = `${historyLimit}orchestrators: { eng: { journeys: [plain] } }\n`;
    home = await versionedInstallation(documents, { behavior: 'auto-upgrade', more });
  });
  afterAll(async () => {
    await home.stop();
    await called.close();
  });

  it('does not fail workflow tasks or requests', async () => {
    const answers = new Map<string, number>();
    const counted = async (asked: Promise<Answer>): Promise<JsonObject> => {
      const { status, body } = await asked;
      const key = status < 300 ? String(status) : `${status} ${body.code}: ${body.detail}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
      return body;
    };
    const start = (name: string) => counted(home.post(`/journeys/${name}/start`));
    const approve = (id: string) => counted(home.post(`/journeys/${id}/steps/approve`));
    const first = await home.workers('a', 3);
    await home.deployment('set-current-version', '--build-id', 'a.i1');
    await home.journeyman('a', 'pipeline', 'deploy');

    // Runs that last through the whole upgrade.
    const waiting: string[] = [];
    for (let i = 0; i < 10; i++) waiting.push(String((await start('approval')).journeyId));
    const long = String((await start('polling')).journeyId);

    let loaded = true;
    let rounds = 0;
    const outcomes = new Set<unknown>();
    const job = { targetAction: { type: 'workflow_start', workflowId: 'plain', inputs: {} } };
    const load = Array.from({ length: 4 }, async () => {
      while (loaded) {
        outcomes.add((await start('plain')).phase);
        outcomes.add((await start('order')).phase);
        const { journeyId } = await start('approval');
        await counted(home.post(`/pipelines/${pipeline}/topics/notes/events`, { payload: {} }));
        await counted(home.post('/queue?orchestratorId=eng', job));
        outcomes.add((await approve(String(journeyId))).phase);
        rounds++;
      }
    });
    const moreRounds = async (count: number) => {
      const target = rounds + count;
      await eventually(
        () => rounds,
        (done) => done >= target,
        { limitMs: 400_000 },
      );
    };

    try {
      await moreRounds(12);
      await home.workers('b', 3);
      await home.deployment('set-ramping-version', '--build-id', 'b.i1', '--percentage', '30');
      await moreRounds(12);
      expect(await home.journeyman('b', 'doctor')).toMatch(
        /Worker versions: (?=.*:a\.i1: current, \d+ running)(?=.*:b\.i1: ramping 30 %, \d+ running)/s,
      );
      await home.deployment('set-current-version', '--build-id', 'b.i1');
      await moreRounds(12);
      for (const worker of first) expect(await worker.stop()).toBe(0);
      await moreRounds(12);
    } finally {
      loaded = false;
      // Before the gateway stops, also after a failure.
      await Promise.allSettled(load);
    }
    await Promise.all(load);
    expect([...answers.keys()].sort()).toEqual(['200', '202']);
    expect([...outcomes]).toEqual(['SUCCEEDED']);

    for (const id of waiting) expect((await approve(id)).phase).toBe('SUCCEEDED');
    expect(await home.buildsOf(waiting[0]!)).toEqual(expect.arrayContaining(['b.i1']));
    await eventually(
      () => home.get(`/journeys/${long}/result`),
      ({ body }) => body.phase === 'SUCCEEDED',
    );
    expect(await home.buildsOf(long)).toEqual(['b.i1']);
    expect((await home.get(`/pipelines/${pipeline}`)).body).toMatchObject({ status: 'running' });

    const { failures, workflows } = await home.failedTasks();
    expect(failures).toEqual([]);
    expect(workflows).toBeGreaterThan(rounds * 5);
  }, 900_000);
});

describe('HOME-3 pinned journeys', () => {
  let called: Backend;
  let home: VersionedInstallation;
  const pipeline = `pinned-${process.pid}`;
  beforeAll(async () => {
    called = await backend();
    const documents = {
      'plain.journey.yaml': plain(called.url),
      'approval.journey.yaml': approval(called.url),
      'polling.journey.yaml': polling(150),
      'notes.pipeline.yaml': notes(pipeline),
    };
    home = await versionedInstallation(documents, { behavior: 'pinned', more: historyLimit });
  });
  afterAll(async () => {
    await home.stop();
    await called.close();
  });

  it('keep their version until they continue as new, which a pipeline does with its next event', async () => {
    const start = async (name: string) => String((await home.post(`/journeys/${name}/start`)).body.journeyId);
    const publish = () => home.post(`/pipelines/${pipeline}/topics/notes/events`, { payload: {} });
    await home.workers('a', 1);
    expect(await home.journeyman('a', 'doctor')).toMatch(/a\.i1: inactive, 0 running journeys\n.*set-current-version/s);
    await home.deployment('set-current-version', '--build-id', 'a.i1');
    await home.journeyman('a', 'pipeline', 'deploy');
    await publish();
    const waiting = await start('approval');
    const long = await start('polling');
    await eventually(
      () => home.buildsOf(waiting),
      (builds) => builds.length > 0,
    );

    await home.workers('b', 1);
    await home.deployment('set-current-version', '--build-id', 'b.i1');
    // The server needs a moment to apply it.
    const later = await eventually(
      async () => {
        const id = await start('approval');
        const builds = await eventually(
          () => home.buildsOf(id),
          (found) => found.length > 0,
        );
        return { id, builds };
      },
      ({ builds }) => builds.includes('b.i1'),
    );
    const doctor = await home.journeyman('b', 'doctor');
    expect(doctor).toMatch(/a\.i1: draining, [1-9]\d* running/);
    expect(doctor).toMatch(/b\.i1: current, [1-9]\d* running/);

    expect((await home.post(`/journeys/${waiting}/steps/approve`)).body.phase).toBe('SUCCEEDED');
    expect(await home.buildsOf(waiting)).toEqual(['a.i1']);
    expect((await home.post(`/journeys/${later.id}/steps/approve`)).body.phase).toBe('SUCCEEDED');
    expect(await home.buildsOf(later.id)).toEqual(['b.i1']);
    await eventually(
      () => home.get(`/journeys/${long}/result`),
      ({ body }) => body.phase === 'SUCCEEDED',
    );
    expect(await home.buildsOf(long)).toEqual(['b.i1']);
    await publish();
    await eventually(
      () => home.buildsOf(`pipeline.${pipeline}`),
      (builds) => builds.at(-1) === 'b.i1',
    );
    expect((await home.failedTasks()).failures).toEqual([]);
  });
});
