import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { Random } from '../../fuzz/loader/mutate.js';
import type { Answer, PatientClient } from '../patient-client.js';
import type { Operation } from './linearizable.js';
import type { Phase, RunOperation } from './run-model.js';

/** Submissions after which a run ends. */
export const perRun = 8;

/** A journey that accepts submissions sequentially, shows them in its attributes, and calls the ledger for each. */
export const listJourney = (ledger: string): JsonObject => {
  const call = (point: string, next: string, body: JsonObject = {}): JsonObject => ({
    type: 'task',
    task: {
      kind: 'httpCall:v1',
      method: 'POST',
      url: `${ledger}/\${context.run}/${point}`,
      body,
      timeoutMs: 60_000,
      resultVar: 'answer',
    },
    next,
  });
  const set = (expr: string, target: JsonObject, next: string): JsonObject => ({
    type: 'transform',
    transform: { expr, ...target },
    next,
  });
  return {
    apiVersion: 'v1',
    kind: 'Journey',
    metadata: { name: 'list', version: '1.0.0' },
    spec: {
      lifecycle: { startMode: 'async' },
      start: 'add',
      states: {
        add: {
          type: 'wait',
          wait: { channel: 'manual', input: { schema: { type: 'object', required: ['v'] } } },
          next: 'keep',
        },
        keep: set(
          '(context.list default []) ++ [context.payload.v]',
          { target: { kind: 'var' }, resultVar: 'list' },
          'show',
        ),
        show: set('{ ("v" ++ sizeOf(context.list)): context.payload.v }', { target: { kind: 'attributes' } }, 'record'),
        record: call('${context.payload.v}', 'more'),
        more: {
          type: 'choice',
          choices: [{ when: `sizeOf(context.list) >= ${perRun}`, next: 'done' }],
          default: 'add',
        },
        done: { type: 'succeed', output: { expr: 'context.list' } },
      },
      compensation: {
        mode: 'sync',
        start: 'undo',
        states: {
          undo: call('undo', 'end', { expr: '{ value: context.payload.v default null }' }),
          end: { type: 'succeed' },
        },
      },
    },
  };
};

/** The records of the clients of one run. */
export interface RecordedRun {
  readonly label: string;
  readonly ids: readonly string[];
  readonly history: readonly Operation<RunOperation>[];
  /** Submissions that were acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
  /** The last result read. */
  readonly result: JsonObject;
  readonly requests: number;
  readonly unanswered: number;
}

/** Several clients of one run, which act at random through any gateway until it has ended. */
export class ClientsOfRun {
  private readonly history: Operation<RunOperation>[] = [];
  private readonly acknowledged = new Set<string>();
  private readonly ids: string[] = [];
  private ended = false;
  private requests = 0;
  private unanswered = 0;

  constructor(
    private readonly label: string,
    private readonly http: PatientClient,
    private readonly gateway: () => string,
    private readonly random: Random,
  ) {}

  /** Starts the run from all clients at once, under one key, then acts on it. */
  async play(clients: number, cancels: boolean): Promise<RecordedRun> {
    await Promise.all(Array.from({ length: clients }, () => this.start()));
    const canceller = cancels ? [this.cancelSometime()] : [];
    const working = [...Array.from({ length: clients }, (_, i) => this.work(i)), ...canceller];
    // A failed client must not leave the others running forever.
    await Promise.all(working).finally(() => {
      this.ended = true;
    });
    const result = await this.finalResult();
    const { label, ids, history, acknowledged, requests, unanswered } = this;
    return { label, ids, history, acknowledged, result, requests, unanswered };
  }

  private async start(): Promise<void> {
    const headers = { 'idempotency-key': this.label };
    const sent = { body: { run: this.label }, headers };
    const { body } = await this.http.until(
      () => this.url('list/start'),
      sent,
      ({ status }) => status < 300,
    );
    this.ids.push(String(body.journeyId));
  }

  /** A client: submits a few values, each under its own key, and reads the run in between. */
  private async work(client: number): Promise<void> {
    for (let n = 0; !this.ended; n++) {
      const key = `c${client}n${n}`;
      // Some submissions are sent twice concurrently, like an impatient client.
      const copies = this.random() < 0.2 ? 2 : 1;
      await Promise.all([...Array.from({ length: copies }, () => this.add(key)), this.look()]);
      await sleep(this.random() * 200);
    }
  }

  /** Submits a value until the run accepts it or has ended. */
  private async add(key: string): Promise<void> {
    while (!this.ended) {
      const invoked = performance.now();
      const sent = { body: { v: key }, headers: { 'idempotency-key': key } };
      const answer = await this.ask('/steps/add', sent);
      const returned = performance.now();
      if (answer?.status === 200) {
        this.acknowledged.add(key);
        this.note(invoked, returned, { kind: 'add', key, answer: 'accepted' });
        this.noteView(invoked, returned, answer.body, key);
        return;
      }
      if (answer !== undefined && answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        this.note(invoked, returned, { kind: 'add', key, answer: 'refused' });
        await sleep(20 + this.random() * 150);
      } else this.note(invoked, undefined, { kind: 'add', key, answer: 'accepted' });
    }
  }

  private async look(): Promise<void> {
    const invoked = performance.now();
    const result = this.random() < 0.3;
    const answer = await this.ask(result ? '/result' : '', { method: 'GET' });
    const returned = performance.now();
    if (answer?.status === 200) this.noteView(invoked, returned, answer.body);
    else if (answer?.status === 409) this.note(invoked, returned, { kind: 'read', phase: 'RUNNING' });
  }

  private async cancelSometime(): Promise<void> {
    await sleep(500 + this.random() * 6_000);
    const invoked = performance.now();
    this.note(invoked, undefined, { kind: 'cancel' });
    for (;;) {
      const answer = await this.ask('/steps/cancel', {});
      if (answer && answer.status < 500) return;
      await sleep(200);
    }
  }

  /** The final result, which must contain all acknowledged submissions. */
  private async finalResult(): Promise<JsonObject> {
    const wanted = ({ status }: Answer) => status === 200;
    const invoked = performance.now();
    const { body } = await this.http.until(() => this.url(`${this.ids[0]}/result`), { method: 'GET' }, wanted);
    this.noteView(invoked, performance.now(), body);
    return body;
  }

  private noteView(invoked: number, returned: number, view: JsonObject, contains?: string): void {
    const phase = phaseOf(view);
    if (phase !== 'RUNNING') this.ended = true;
    // A view without active states comes from the server while no worker responds: it may lack changes since the run last waited.
    const complete = phase !== 'RUNNING' || view.activeStates !== undefined;
    this.note(invoked, returned, {
      kind: 'read',
      phase,
      ...(complete && { list: listOf(view), ...(contains !== undefined && { contains }) }),
    });
  }

  private note(invoked: number, returned: number | undefined, what: RunOperation): void {
    this.history.push({ invoked, ...(returned !== undefined && { returned }), what });
  }

  /** One request; undefined if its effect is unknown. */
  private async ask(path: string, sent: Parameters<PatientClient['once']>[1]): Promise<Answer | undefined> {
    this.requests += 1;
    const answer = await this.http.once(this.url(`${this.ids[0]}${path}`), sent).catch(() => undefined);
    if (answer && answer.status < 500) return answer;
    this.unanswered += 1;
    await sleep(50 + this.random() * 200);
    return undefined;
  }

  private url(path: string): string {
    return `${this.gateway()}/api/v1/journeys/${path}`;
  }
}

/** The submissions in a view of the run, in order. */
export function listOf(view: JsonObject): string[] {
  const attributes = view.attributes as Readonly<Record<string, Json>>;
  const list = Array.from({ length: perRun + 1 }, (_, i) => attributes[`v${i + 1}`]);
  return list.flatMap((it) => (it === undefined ? [] : [String(it)]));
}

/** Only a cancel can fail such a run; the result contains the reason, and is checked. */
function phaseOf({ phase }: JsonObject): Phase {
  if (phase === 'RUNNING' || phase === 'SUCCEEDED') return phase;
  return 'CANCELLED';
}
