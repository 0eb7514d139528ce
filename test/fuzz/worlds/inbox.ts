import { copy, type Json } from '../../../src/base/json/value.js';
import { problem } from '../../../src/base/problems/problem.js';
import { type KeptSubmission, type OpenSteps, Submissions } from '../../../src/engine/step-submissions.js';
import { AnsweredKeys } from '../../../src/engine/steps/answered-keys.js';
import type { Submission } from './clients.js';
import type { Submitted, WorldLog } from './log.js';
import type { World } from './world.js';
import type { WorldClock } from './world-clock.js';

/** The submissions of one play, handled as in a workflow. */
export class WorldInbox {
  private readonly keys = new AnsweredKeys<Json>();
  /** Submissions that wait for the run to be idle. */
  private waiters: (() => void)[] = [];
  private submissions: Submissions;

  constructor(
    private readonly world: World,
    private readonly log: WorldLog,
    private readonly clock: WorldClock,
    private readonly seq: () => number,
    /** The waiting steps; none after the end. */
    private readonly openSteps: () => OpenSteps,
  ) {
    this.submissions = new Submissions(() => world.steps);
  }

  /** Whether a client waits for a response. */
  get isAnswering(): boolean {
    return this.waiters.length > 0;
  }

  /** Responds to all clients; false if none waits. */
  answer(): boolean {
    const ready = this.waiters;
    this.waiters = [];
    for (const go of ready) go();
    return ready.length > 0;
  }

  takeKept(address: string, schema: Json): KeptSubmission | undefined {
    return this.submissions.takeKept(address, schema);
  }

  /** Carries over the same as continue-as-new. */
  continueAsNew(): void {
    const kept = JSON.parse(JSON.stringify(this.submissions.kept())) as ReturnType<Submissions['kept']>;
    this.submissions = new Submissions(() => this.world.steps, kept);
  }

  /** Handles a submission and logs its result. */
  submit({ address, payload, how, key }: Submission): void {
    const entry: Submitted = {
      seq: this.seq(),
      at: this.clock.now(),
      address,
      payload,
      how,
      verdict: '',
      ...(key !== undefined && { key }),
    };
    this.log.submissions.push(entry);
    const steps = this.openSteps();
    if (how === 'signal') {
      entry.verdict = 'signal';
      this.submissions.signal(steps, address, payload);
      return;
    }
    entry.verdict = this.judge(entry, steps);
    if (entry.verdict !== '') return;
    const ingest = () => this.ingest(entry, steps);
    const answer = key === undefined ? ingest() : this.keys.answer(key, hashOf(entry), ingest);
    if (entry.verdict === '') entry.verdict = 'repeated';
    answer.then((it) => {
      entry.answer = it;
    });
  }

  /** The code with which a submission is rejected; empty if accepted. */
  private judge(entry: Submitted, steps: OpenSteps): string {
    const { address, payload, how, key } = entry;
    if (this.keys.has(key)) return this.keys.refusal(key, hashOf(entry))?.code ?? '';
    if (how === 'step') return this.submissions.refusal(steps, address, payload)?.code ?? '';
    const ended = this.log.outcome ? problem('RUN_UNKNOWN') : undefined;
    return (ended ?? this.submissions.earlyRefusal(steps, address, { payload }))?.code ?? '';
  }

  private async ingest(entry: Submitted, steps: OpenSteps): Promise<Json> {
    const step = steps.get(entry.address);
    entry.verdict = step ? 'accepted' : 'kept';
    if (step) step.take(copy(entry.payload));
    else this.submissions.keep(entry.address, { payload: entry.payload });
    await new Promise<void>((resolve) => this.waiters.push(resolve));
    return { n: this.seq(), phase: this.log.outcome?.phase ?? 'RUNNING' };
  }
}

function hashOf({ address, payload }: Pick<Submitted, 'address' | 'payload'>): string {
  return JSON.stringify([address, payload]);
}
