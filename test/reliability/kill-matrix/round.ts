import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/loader/mutate.js';
import { eventually } from '../../support/eventually.js';
import type { Answer } from '../patient-client.js';
import type { ProcessName } from '../stand.js';
import type { KillCase, Moment } from './cases.js';
import { type Environment, journeyName } from './environment.js';
import { judge, type KilledRun, repeatedCalls } from './judge.js';

/** One kill of this process at this moment in the steps of all these cases. */
export interface RoundPlan {
  readonly cases: readonly KillCase[];
  readonly process: ProcessName;
  readonly moment: Moment;
  /** Identifies the runs of this round. */
  readonly name: string;
  readonly random: Random;
}

/** The findings of a round. */
export interface RoundReport {
  readonly runs: number;
  readonly calls: number;
  readonly repeated: number;
  readonly problems: readonly string[];
}

/** One run of a round. */
class PlayedRun {
  id = '';
  private submitted: Promise<void> | undefined;
  private started: Promise<void> | undefined;

  constructor(
    readonly given: KillCase,
    readonly label: string,
    private readonly environment: Environment,
  ) {}

  get gate(): string {
    return this.given.gate ?? 'before';
  }

  /** The point after the step; null if the run ends there. */
  get follow(): string | null {
    return this.given.follow === undefined ? 'after' : this.given.follow;
  }

  /** Starts the run and its companion; resolves with the gateway's response. */
  start(): Promise<void> {
    this.started ??= this.reallyStart();
    return this.started;
  }

  /** Sends the request that the step waits for; resolves when the gateway has accepted it. */
  submit(): Promise<void> {
    this.submitted ??= this.reallySubmit();
    return this.submitted;
  }

  /** Resolves when the run is in its step, as far as observable. */
  async inStep(): Promise<void> {
    const { during } = this.given;
    if ('held' in during) for (const point of during.held) await this.environment.ledger.reached(this.label, point);
    if ('parked' in during) await this.send('GET', '', (it) => it.body.currentState === during.parked);
  }

  /** Resolves when the step has ended. */
  async passed(): Promise<void> {
    await this.submit();
    if (this.follow !== null) await this.environment.ledger.reached(this.label, this.follow);
    else await this.end();
  }

  /** The phase of the ended run, or its error code. */
  async end(): Promise<Pick<KilledRun, 'end' | 'reason'>> {
    const { body } = await this.send('GET', '/result', ({ status }) => status === 200);
    const { code } = (body.error ?? {}) as { code?: string };
    if (body.phase !== 'FAILED') return { end: String(body.phase) };
    return { end: String(code ?? body.status), reason: JSON.stringify(body.error) };
  }

  /** Resolves with the result when everything has ended. */
  async killed(): Promise<KilledRun> {
    const { ledger, stand } = this.environment;
    await this.start();
    await this.submit();
    const end = await this.end();
    const other = `${this.id}-compensation`;
    if (this.given.name === 'compensation-async') await ended(() => stand.client.workflow.getHandle(other).result());
    if (this.given.name === 'schedule:v1') await ledger.reached(this.label, 'work');
    const { beside } = this.given;
    if (beside) {
      const id = encodeURIComponent(`${beside.journey}/${this.label}`);
      const key = { 'idempotency-key': `${this.label}-last` };
      await this.post(`${id}/steps/paid`, beside.ended, key, ({ status }) => status < 300);
      await ended(() => stand.client.workflow.getHandle(`${beside.journey}/${this.label}`).result());
    }
    return { label: this.label, id: this.id, ...end, calls: [] };
  }

  private async reallyStart(): Promise<void> {
    const { given, label } = this;
    const { headers } = this.environment;
    const accepted = ({ status }: Answer) => status === 200 || status === 202;
    if (given.beside)
      await this.post(
        `${given.beside.journey}/start`,
        { run: label },
        { 'idempotency-key': `${label}-beside` },
        accepted,
      );
    const body = { run: label, ...given.input };
    const keyed = { ...headers, 'idempotency-key': label };
    const answer = await this.post(`${journeyName(given)}/start`, body, keyed, accepted);
    this.id = String(answer.body.journeyId);
  }

  private async reallySubmit(): Promise<void> {
    const { submit } = this.given;
    if (!submit) return;
    const key = { 'idempotency-key': `${this.label}-step` };
    if ('cancel' in submit) await this.post(`${this.id}/steps/cancel`, {}, {}, ({ status }) => status < 300);
    else await this.post(`${this.id}/steps/${submit.step}`, submit.body ?? {}, key, ({ status }) => status < 300);
  }

  private post(path: string, body: object, headers: Record<string, string>, wanted: (answer: Answer) => boolean) {
    const sent = { method: 'POST', body, headers } as Parameters<Environment['client']['once']>[1];
    return this.environment.client.until(() => this.url(path), sent!, wanted);
  }

  private async send(method: 'GET', path: string, wanted: (answer: Answer) => boolean): Promise<Answer> {
    return await this.environment.client.until(() => this.url(`${this.id}${path}`), { method }, wanted);
  }

  private url(path: string): string {
    return `${this.environment.stand.gateways[0]!.url}/api/v1/journeys/${path}`;
  }
}

/** Plays one round: all runs reach the moment, the process is killed and restarted, and all runs end. */
export async function playRound(environment: Environment, plan: RoundPlan): Promise<RoundReport> {
  const { stand, ledger } = environment;
  const runs = plan.cases.map((it) => new PlayedRun(it, `${plan.name}.${journeyName(it)}`, environment));
  const starters = runs.filter(({ given }) => 'startMs' in given.during);
  const others = runs.filter((it) => !starters.includes(it));
  for (const run of runs) hold(run, plan.moment, environment);
  await Promise.all(others.map((run) => run.start()));
  await Promise.all(others.map((run) => ledger.reached(run.label, run.gate)));
  const failed: string[] = [];
  const going = await reachMoment(plan, starters, others, environment);
  await stand.kill(plan.process);
  ledger.releaseAll();
  await sleep(plan.random() * 1_000);
  await stand.launch(plan.process);
  await Promise.all(going);
  const ends = await Promise.all(
    runs.map((run) =>
      run.killed().catch((error: Error) => {
        failed.push(`${run.label} (${run.id}): ${error.message}`);
        return undefined;
      }),
    ),
  );
  await environment.collectRecords();
  const played = ends.flatMap((it, i) =>
    it ? [{ run: { ...it, calls: ledger.of(it.label) }, given: runs[i]!.given }] : [],
  );
  return {
    runs: runs.length,
    calls: played.reduce((sum, { run }) => sum + run.calls.length, 0),
    repeated: played.reduce((sum, { run }) => sum + repeatedCalls(run), 0),
    problems: [...failed, ...played.flatMap(({ run, given }) => judge(given, plan.process, run))],
  };
}

function hold(run: PlayedRun, moment: Moment, { ledger }: Environment): void {
  const { during } = run.given;
  ledger.hold(run.label, run.gate);
  if (moment === 'during' && 'held' in during) for (const point of during.held) ledger.hold(run.label, point);
  if (moment === 'after' && run.follow !== null) ledger.hold(run.label, run.follow);
}

/** Resolves at the moment of the kill, with the requests in flight. */
async function reachMoment(
  { moment, random }: RoundPlan,
  starters: readonly PlayedRun[],
  others: readonly PlayedRun[],
  { ledger }: Environment,
): Promise<Promise<void>[]> {
  const open = (runs: readonly PlayedRun[]) => {
    for (const run of runs) ledger.release(run.label, run.gate);
  };
  if (moment === 'before') {
    open(others);
    await sleep(random() * 80);
    return [];
  }
  if (moment === 'after') {
    open(others);
    await Promise.all(starters.map((run) => run.start()));
    open(starters);
    await Promise.all([...others, ...starters].map((run) => run.passed()));
    // Half of them have the response to the next request, or are about to.
    for (const run of [...others, ...starters])
      if (run.follow !== null && random() < 0.5) ledger.release(run.label, run.follow);
    await sleep(random() * 50);
    return [];
  }
  const unseen = others.filter(({ given }) => 'withinMs' in given.during);
  const seen = others.filter((run) => !unseen.includes(run));
  open(seen);
  await Promise.all(seen.map((run) => run.inStep()));
  const delays = unseen.map((run) => {
    const { withinMs } = run.given.during as { withinMs: number };
    return { run, at: 600 - random() * withinMs };
  });
  const released = delays.map(async ({ run, at }) => {
    await sleep(at);
    open([run]);
  });
  const sent = [...starters.map((run) => () => run.start()), ...seen.map((run) => () => run.submit())];
  const under = sent.map(async (send) => {
    await sleep(600 - random() * 60);
    await send();
  });
  await Promise.all([sleep(600), ...released]);
  return under;
}

/** Resolves when a workflow has ended with any result. Retries while the server is down. */
async function ended(result: () => Promise<unknown>): Promise<void> {
  await eventually(
    () =>
      result().then(
        () => true,
        (error: Error) => error.name === 'WorkflowFailedError',
      ),
    (it) => it,
  );
}
