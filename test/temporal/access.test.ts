import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TypedSearchAttributes } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { canonical, type JsonObject } from '../../src/base/json/value.js';
import { routesOf } from '../../src/gateway/create-gateway.js';
import { RunResponses } from '../../src/gateway/run-responses.js';
import { Starts } from '../../src/service/prepare-start-with-ajv.js';
import { startOptions } from '../../src/temporal/runs/run-start-options.js';
import { freePort } from '../../src/temporal/server/tcp-ports.js';
import { keys } from '../../workflows/shared/run-search-attributes.js';
import { prepared } from '../support/prepared.js';
import { FakeRuns, options } from '../unit/gateway/harness.js';
import { type CallerName, callers, type Row, table, upserts } from './support/access-table.js';
import { historyTexts } from './support/encryption.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { testSecret } from './support/secret.js';

/** Hands out its callback URLs, loops until a submission ends it, and is compensated if it fails. */
const errand = `
apiVersion: v1
kind: Journey
metadata: { name: access-errand, version: 1.2.0, tags: [errands] }
spec:
  start: hand-out
  states:
    hand-out:
      type: transform
      transform:
        mapper: { lang: dataweave, expr: 'platform.run.callbacks' }
        target: { kind: var }
        resultVar: urls
      next: answer
    answer:
      type: wait
      wait: { channel: manual, input: { schema: true } }
      next: enough
    enough:
      type: choice
      choices:
        - when: { predicate: { lang: dataweave, expr: '(context.payload.end default "") == "well"' } }
          next: done
        - when: { predicate: { lang: dataweave, expr: '(context.payload.end default "") == "badly"' } }
          next: failed
      default: hand-out
    done: { type: succeed, outputVar: urls }
    failed: { type: fail, errorCode: BADLY, reason: As asked. }
  compensation:
    mode: async
    start: rest
    states:
      rest: { type: timer, timer: { duration: PT1H }, next: over }
      over: { type: succeed }
`;

const recurring = `
apiVersion: v1
kind: Journey
metadata: { name: access-recurring, version: 1.0.0 }
spec:
  start: plan
  states:
    plan:
      type: task
      task: { kind: "schedule:v1", start: work, interval: PT1H, maxRuns: 2, subjectId: { mapper: { lang: dataweave, expr: context.who } } }
      next: work
    work: { type: succeed }
`;

const payment = readFileSync('specs/recurring-payment.journey.yaml', 'utf8');

const signed = `
apiVersion: v1
kind: Journey
metadata: { name: access-signed, version: 1.0.0 }
spec:
  start: pushed
  states:
    pushed:
      type: webhook
      webhook:
        input: { schema: { type: object, required: [ref] } }
        signature: { preset: github, secretRefs: [ "secret://new", "secret://old" ] }
      next: done
    done: { type: succeed }
`;

/** Nobody may read its runs. */
const guarded = `
apiVersion: v1
kind: Journey
metadata: { name: access-guarded, version: 1.0.0 }
spec:
  access: { read: { guardRef: never } }
  subjourneys: { never: { start: no-one, states: { no-one: { type: fail, errorCode: CLOSED, reason: Nobody. } } } }
  start: pause
  states:
    pause: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed }
`;

const hooked = `
apiVersion: v1
kind: Journey
metadata: { name: access-hooked, version: 1.0.0 }
spec:
  key: { expr: context.orderId }
  start: paid
  states:
    paid:
      type: webhook
      webhook:
        input: { schema: true }
        signature: { preset: github, secretRef: secret://new }
        correlate: { expr: payload.orderId }
      next: done
    done: { type: succeed }
`;

const price = `
apiVersion: v1
kind: Api
metadata: { name: access-price, version: 1.0.0 }
spec:
  start: done
  states:
    done: { type: succeed }
`;

const nothing = 'nothingOfThisNameAtAll';
const secretOf = (name: string) => `jm_${name}_${process.pid}`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

describe('permissions', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-access-'));
    writeFileSync(join(folder, 'new'), 'the new secret\n');
    writeFileSync(join(folder, 'old'), 'the old secret\n');
    rigged = await rig({
      activities: asActivities({ http: async () => ({ ok: true, status: 200, headers: {}, body: {} }) }),
    });
    const port = await freePort('127.0.0.1');
    const apiKeys = Object.entries(callers).flatMap(([id, key]) =>
      key ? [{ id, hash: `sha256:${hash(secretOf(id))}`, ...key }] : [],
    );
    // A second key of the same caller, which replaces the first.
    apiKeys.push({
      id: 'owner2',
      caller: 'owner',
      hash: `sha256:${hash(secretOf('owner2'))}`,
      roles: ['client'],
    } as never);
    gateway = await httpGateway(rigged, [errand, recurring, payment, signed, hooked, guarded, price], {
      JOURNEYMAN_GATEWAY_AUTH_API_KEYS: JSON.stringify(apiKeys),
      JOURNEYMAN_GATEWAY_PORT: String(port),
      JOURNEYMAN_GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
      JOURNEYMAN_SERVER_DATA_DIR: folder,
      JOURNEYMAN_LIMITS_HISTORY_EVENTS: '30',
      JOURNEYMAN_SECRETS: JSON.stringify({
        'secret://new': { file: join(folder, 'new') },
        'secret://old': { file: join(folder, 'old') },
      }),
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await rigged.stop();
    rmSync(folder, { recursive: true });
  });

  async function ask(
    caller: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: JsonObject; text: string }> {
    const response = await fetch(path.startsWith('/') ? gateway.url + path : path, {
      method,
      headers: {
        ...(caller !== undefined && { 'x-api-key': secretOf(caller) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} };
  }

  async function started(journey = 'access-errand', body: unknown = {}, caller = 'owner'): Promise<string> {
    const { body: run } = await ask(caller, 'POST', `/api/v1/journeys/${journey}/start`, body);
    return run.journeyId as string;
  }

  it('R14-access: the table lists exactly the existing routes', () => {
    const { options: made } = options({}, new FakeRuns());
    const parts = { ...made, answers: new RunResponses(undefined), starts: new Starts(made.config.platform) };
    const served = routesOf(parts).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    // Apis do not have separate routes: each has its path.
    expect([...served, 'POST /api/v1/apis/:name'].sort()).toEqual(table.map(({ route }) => route).sort());
  });

  it.each(table)('R14-access: $route', async ({ route, path: given, body, run, unknown, schedule }: Row) => {
    const [method, pattern] = route.split(' ') as [string, string];
    const sent = method === 'GET' ? undefined : (body ?? {});
    const path = (id: string) =>
      (given ?? pattern)
        .replace(/:(id|channelProfileId)/, id)
        .replace(':stepId', 'answer')
        .replace(':item', '0')
        .replace('/:n/', '/0/');
    const statuses = async (id: () => Promise<string>) => {
      const found: Partial<Record<CallerName, number>> = {};
      for (const caller of Object.keys(callers) as CallerName[]) {
        const credentials = caller === 'nobody' ? undefined : caller;
        found[caller] = (await ask(credentials, method, path(await id()), sent)).status;
      }
      return found;
    };
    const id = unknown ? await started() : nothing;
    // A cancelled run can be used for one cell only.
    expect(await statuses(pattern.endsWith('cancel') ? () => started() : async () => id)).toEqual(run);
    if (unknown) expect(await statuses(async () => nothing)).toEqual(unknown);
    if (!schedule) return;
    const customerId = `${route} ${process.pid}`;
    await agreed('owner', { customerId, amount: 10 });
    const [{ scheduleId } = {}] = await schedulesOf(customerId, 1);
    expect(await statuses(async () => scheduleId as string)).toEqual(schedule);
  });

  /** Starts the shipped recurring payment and gives the customer's consent; undefined if the caller may not start it. */
  async function agreed(caller: string | undefined, payment: JsonObject): Promise<JsonObject | undefined> {
    const input = { firstAt: '2099-01-01T00:00:00Z', ...payment };
    const { body } = await ask(caller, 'POST', '/api/v1/journeys/recurring-payment/start', input);
    if (typeof body.journeyId !== 'string') return undefined;
    const consent = `/api/v1/journeys/${body.journeyId}/steps/consent`;
    await ask(caller, 'POST', consent, { token: `${caller}-${payment.amount}` });
    const result = () => ask(caller, 'GET', `/api/v1/journeys/${body.journeyId}/result`);
    await expect.poll(async () => (await result()).status).toBe(200);
    return (await result()).body;
  }

  /** The schedules of a customer; waits until the expected number exists. */
  async function schedulesOf(customerId: string, count: number): Promise<JsonObject[]> {
    const list = `/api/v1/schedules?subjectId=${encodeURIComponent(customerId)}`;
    const items = async () => (await ask('operator', 'GET', list)).body.items as JsonObject[];
    await expect.poll(async () => (await items()).length).toBe(count);
    return await items();
  }

  const contextOf = async ({ scheduleId }: JsonObject) =>
    (await ask('operator', 'GET', `/api/v1/schedules/${scheduleId}`)).body.lastContext as JsonObject;

  it.each(Object.entries(upserts))(
    'GAP-1 POST /api/v1/journeys/:name/start by %s for the subject of a schedule of owner: %s',
    async (caller, effect) => {
      const customerId = `${caller} ${process.pid}`;
      await agreed('owner', { customerId, amount: 10 });
      const [before] = await schedulesOf(customerId, 1);
      await agreed(caller === 'nobody' ? undefined : caller, { customerId, amount: 99 });
      const after = await schedulesOf(customerId, effect === 'has its own' ? 2 : 1);
      const mine = after.find(({ scheduleId }) => scheduleId === before!.scheduleId)!;
      expect(mine.owner).toBe('key:owner');
      expect(await contextOf(mine)).toMatchObject(
        effect === 'replaces' ? { amount: 99, token: `${caller}-99` } : { amount: 10, token: 'owner-10' },
      );
      const theirs = after.filter((it) => it !== mine);
      expect(theirs.map(({ owner }) => owner)).toEqual(effect === 'has its own' ? [`key:${caller}`] : []);
    },
  );

  it('GAP-1 runs of a schedule keep its owner when other callers pay for the same customer', async () => {
    const customerId = `shared-${process.pid}`;
    await agreed('owner', { customerId, amount: 10 });
    await agreed('other', { customerId, amount: 99 });
    await agreed('operator', { customerId, amount: 5 }).catch(() => undefined);
    const items = await schedulesOf(customerId, 2);
    for (const { scheduleId, owner } of items) {
      const { body } = await ask('operator', 'POST', `/api/v1/schedules/${scheduleId}/run-now`);
      const run = `/api/v1/journeys/${encodeURIComponent(body.executionId as string)}`;
      for (const caller of ['owner', 'other'])
        expect([caller, (await ask(caller, 'GET', run)).status]).toEqual([
          caller,
          owner === `key:${caller}` ? 200 : 404,
        ]);
    }
  });

  it('R14-access: a foreign run is indistinguishable from one that does not exist', async () => {
    const id = await started();
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/result'],
      ['POST', '/steps/answer'],
      ['POST', '/steps/cancel'],
      ['POST', '/steps/nothing'],
    ] as const) {
      const responsesFor = async (run: string) => {
        const { status, body } = await ask(
          'other',
          method,
          `/api/v1/journeys/${run}${path}`,
          method === 'GET' ? undefined : {},
        );
        return { status, ...body, instance: null };
      };
      expect(await responsesFor(id)).toEqual(await responsesFor(nothing));
    }
    expect(await ask('owner', 'GET', `/api/v1/journeys/${id}`)).toMatchObject({ body: { phase: 'RUNNING' } });
  });

  it('R14-access: a key that replaces another can access its runs', async () => {
    const id = await started();
    expect(await ask('owner2', 'GET', `/api/v1/journeys/${id}`)).toMatchObject({ status: 200 });
  });

  it('R14-access: runs of earlier versions have no owner and require access to all runs', async () => {
    const definition = journeyOf(errand);
    const id = `before-${process.pid}`;
    const request = { ...prepared(definition, {}), mode: 'async', caller: 'key:owner' } as const;
    const { typedSearchAttributes, memo: _, ...rest } = startOptions({ id }, request, rigged.config, undefined);
    const kept = (typedSearchAttributes as TypedSearchAttributes)
      .getAll()
      .filter(({ key }) => key.name !== 'StartedBy');
    await rigged.client.workflow.start(definition.name, {
      ...rest,
      typedSearchAttributes: new TypedSearchAttributes(kept),
    });
    const path = `/api/v1/journeys/${id}`;
    const statuses = await Promise.all(['owner', 'wide', 'operator'].map((it) => ask(it, 'GET', path)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 200, 200]);
  });

  it('R14-access: compensations and scheduled runs belong to the owner of the first run', async () => {
    const id = await started();
    await ask('owner', 'POST', `/api/v1/journeys/${id}/steps/answer`, { end: 'badly' });
    await started('access-recurring', { who: `u-${process.pid}` });
    const scheduled = async () => {
      const { body } = await ask('owner', 'GET', `/api/v1/journeys?subjectId=u-${process.pid}`);
      return (body.items as JsonObject[]).map(({ journeyId }) => journeyId as string);
    };
    await expect.poll(scheduled).toHaveLength(1);
    for (const run of [`${id}-compensation`, ...(await scheduled())]) {
      const path = `/api/v1/journeys/${encodeURIComponent(run)}`;
      expect([run, (await ask('owner', 'GET', path)).status, (await ask('other', 'GET', path)).status]).toEqual([
        run,
        200,
        404,
      ]);
      const { typedSearchAttributes } = await rigged.client.workflow.getHandle(run).describe();
      expect(typedSearchAttributes.get(keys.StartedBy)).toBe('key:owner');
    }
  });

  it('R14-list: a client lists only its own runs, with every filter', async () => {
    const before = new Date().toISOString();
    const [mine, theirs] = [await started(), await started('access-errand', {}, 'other')];
    const listed = async (caller: string, query: string) => {
      const { status, body } = await ask(caller, 'GET', `/api/v1/journeys?startedFrom=${before}&${query}`);
      return status === 200 ? (body.items as JsonObject[]).map(({ journeyId }) => journeyId) : body.code;
    };
    await expect.poll(() => listed('operator', 'journeyName=access-errand')).toEqual([theirs, mine]);
    expect(await listed('owner', 'journeyName=access-errand')).toEqual([mine]);
    expect(await listed('other', '')).toEqual([theirs]);
    expect(await listed('owner', 'startedBy=key:other')).toEqual([]);
    expect(await listed('wide', 'startedBy=key:other')).toEqual([theirs]);
    expect(await listed('elsewhere', '')).toEqual([]);
    // Lists learn the active state of a run a moment after they learn that it is running.
    const filters = 'journeyVersion=1.2.0&currentState=answer&tag=errands&phase=RUNNING';
    await expect.poll(() => listed('wide', filters)).toEqual([theirs, mine]);
    expect(await listed('wide', 'journeyVersion=9.9.9')).toEqual([]);
    expect(await listed('wide', 'currentState=hand-out')).toEqual([]);
    expect(await listed('wide', `startedBefore=${before}`)).toEqual([]);
    expect(await listed('wide', 'startedBefore=yesterday')).toBe('QUERY_INVALID');
  });

  it('R14-list: only operators see runs with a read guard in lists, because lists do not evaluate guards', async () => {
    const mine = await started('access-guarded');
    const listed = async (caller: string) => {
      const { body } = await ask(caller, 'GET', '/api/v1/journeys?journeyName=access-guarded');
      return (body.items as JsonObject[]).map(({ journeyId }) => journeyId);
    };
    await expect.poll(() => listed('operator')).toEqual([mine]);
    expect(await listed('owner')).toEqual([]);
    expect(await listed('wide')).toEqual([]);
  });

  it('R14-trail: a read guard hides the trail of a run as it hides the status', async () => {
    const mine = await started('access-guarded');
    const open = await started();
    for (const caller of ['owner', 'wide', 'operator'])
      for (const route of ['', '/trail']) {
        const { status, body } = await ask(caller, 'GET', `/api/v1/journeys/${mine}${route}`);
        expect({ route, status, code: body.code }).toEqual({ route, status: 404, code: 'RUN_UNKNOWN' });
      }
    const shown = await ask('owner', 'GET', `/api/v1/journeys/${open}/trail`);
    expect(shown.body).toMatchObject({ complete: true, phase: 'RUNNING', journeyName: 'access-errand' });
    // Waiting for changes is subject to the same check.
    const { cursor } = shown.body;
    expect((await ask('other', 'GET', `/api/v1/journeys/${open}/trail?after=${cursor}&waitSec=1`)).status).toBe(404);
  });

  /** The callback URL of the run's step; it is the same before and after the run continues as new. */
  async function callbackOf(id: string): Promise<string> {
    const context = await rigged.client.workflow.getHandle(id).query<JsonObject>('context');
    return (context.urls as JsonObject).answer as string;
  }

  it('R14-callback: the URL of a step is sufficient to submit it', async () => {
    const id = await started();
    const url = await callbackOf(id);
    expect(url).toMatch(new RegExp(`^${gateway.url}/api/v1/journeys/${id}/steps/answer\\?callback=[\\w.-]+$`));
    const { status, body } = await ask(undefined, 'POST', url, { n: 1 });
    // Neither the run's id nor its links.
    expect({ status, ...body }).toMatchObject({ status: 200, currentState: 'answer', tags: [], attributes: {} });
    expect(body).not.toHaveProperty('_links');
    // The same URL works again when the run returns to the step, also after it continued as new.
    const handle = rigged.client.workflow.getHandle(id);
    const isFresh = async () => {
      await handle.signal('answer', { n: 1 });
      const { raw } = await handle.describe();
      return raw.workflowExecutionInfo?.firstRunId !== raw.workflowExecutionInfo?.execution?.runId;
    };
    await expect.poll(isFresh).toBe(true);
    expect(await callbackOf(id)).toBe(url);
    expect(await ask(undefined, 'POST', url, { end: 'well' })).toMatchObject({
      status: 200,
      body: { phase: 'SUCCEEDED' },
    });
    expect(await ask(undefined, 'POST', url, {})).toMatchObject({ status: 409, body: { code: 'STEP_NOT_ACTIVE' } });
  });

  it('R14-callback: an invalid, foreign or expired token reveals nothing about the run', async () => {
    const [id, another] = [await started(), await started()];
    const url = await callbackOf(id);
    const token = new URL(url).searchParams.get('callback')!;
    const made = (at: number) => {
      const hmac = createHmac('sha256', testSecret).update(canonical(['callback', id, 'answer', at]));
      return `${at.toString(36)}.${hmac.digest('base64url')}`;
    };
    const now = Math.floor(Date.now() / 1000);
    const refused = async (target: string) => {
      const { status, body } = await ask(undefined, 'POST', target, { end: 'well' });
      return { status, ...body, instance: null };
    };
    const [of, rejection] = [
      (run: string, with_: string) => `/api/v1/journeys/${run}/steps/answer?callback=${with_}`,
      await refused(url.replace(/.$/, '!')),
    ];
    expect(rejection).toMatchObject({ status: 401, code: 'CALLBACK_INVALID' });
    for (const target of [
      of(another, token),
      of(nothing, token),
      of(id, made(now - 1)),
      of(id, token.replace(/^[^.]+/, (now + 9_999_999).toString(36))),
      of(id, ''),
      url.replace('/steps/answer', '/steps/other'),
    ])
      expect(await refused(target)).toEqual(rejection);
    expect((await refused(url.replace('/steps/answer', '/steps/cancel'))).status).toBe(401);
    expect(await ask('owner', 'GET', `/api/v1/journeys/${id}`)).toMatchObject({ body: { phase: 'RUNNING' } });
    // The token is not an API key: no other route accepts it.
    expect((await ask(undefined, 'GET', `/api/v1/journeys/${id}?callback=${token}`)).status).toBe(401);
    expect(await ask(undefined, 'POST', of(id, made(now + 60)), { end: 'well' })).toMatchObject({ status: 200 });
  });

  it('R14-signature: a request without a valid signature does not reach the run', async () => {
    const id = await started('access-signed');
    const path = `/api/v1/journeys/${id}/steps/pushed`;
    const body = '{ "ref":"main" }';
    const sign = (secret: string, text = body) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
    });
    for (const headers of [
      {},
      sign('a guess'),
      sign('the new secret', '{"ref":"main"}'),
      { 'x-hub-signature-256': 'sha256=' },
    ])
      expect(await ask('owner', 'POST', path, body, headers)).toMatchObject({
        status: 401,
        body: { code: 'SIGNATURE_INVALID' },
      });
    const { events } = await rigged.client.workflow.getHandle(id).fetchHistory();
    expect(events?.filter(({ workflowExecutionUpdateAcceptedEventAttributes: it }) => it)).toHaveLength(1);
    // A signature is not an API key, and does not give access to foreign runs.
    expect((await ask(undefined, 'POST', path, body, sign('the new secret'))).status).toBe(401);
    expect((await ask('other', 'POST', path, body, sign('the new secret'))).status).toBe(404);
    expect(await ask('owner', 'POST', path, body, sign('the old secret'))).toMatchObject({
      body: { phase: 'SUCCEEDED' },
    });
    expect((await historyTexts(rigged.client, id)).join()).not.toContain('the old secret');
  });

  it('R14-audit: operators’ changes of runs and schedules are audited, without request bodies', async () => {
    const id = await started('access-errand', {}, 'operator');
    const seen = { 'x-request-id': `audit-${process.pid}` };
    await ask('operator', 'POST', `/api/v1/journeys/${id}/steps/answer`, { private: 'words' }, seen);
    await ask('operator', 'POST', `/api/v1/journeys/${id}/steps/cancel`, {}, seen);
    await ask('operator', 'POST', `/api/v1/journeys/${id}/steps/cancel`, {}, seen);
    await ask('owner', 'POST', `/api/v1/journeys/${await started()}/steps/cancel`, {});
    const lines = readFileSync(join(folder, 'orchestrators/main/automation/audit.jsonl'), 'utf8');
    expect(lines).not.toContain('words');
    const entries = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    const by = { caller: 'key:operator' };
    const detail = { journeyName: 'access-errand' };
    const common = { at: expect.any(String), orchestratorId: 'main', executionId: id, by };
    expect(entries.filter(({ executionId }) => executionId === id)).toEqual([
      { event: 'run.started', ...common, requestId: expect.any(String), detail },
      { event: 'run.submitted', ...common, requestId: seen['x-request-id'], detail: { ...detail, stepId: 'answer' } },
      {
        event: 'run.cancelled',
        ...common,
        requestId: seen['x-request-id'],
        before: { phase: 'RUNNING' },
        after: { phase: 'FAILED' },
        detail,
      },
    ]);
    expect(entries.every(({ by }) => by === undefined || (by as JsonObject).caller === 'key:operator')).toBe(true);
  });
});
