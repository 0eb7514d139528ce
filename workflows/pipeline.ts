import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  patched,
  proxyActivities,
  setHandler,
  sleep,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { jsonBytes, payloadBytes } from '../src/json/size.js';
import type { Json } from '../src/json/value.js';
import { newPipeline } from '../src/pipelines/deploy.js';
import { advance, type Evaluation } from '../src/pipelines/evaluate.js';
import { readIncoming } from '../src/pipelines/incoming.js';
import type { Answer, HandlerOutcome, Message, StartEffect } from '../src/pipelines/message.js';
import { nextWake } from '../src/pipelines/scheduling.js';
import { restore, snapshot } from '../src/pipelines/snapshot.js';
import type { PipelineState } from '../src/pipelines/state.js';
import { type EventsPage, eventsPage, viewOf } from '../src/pipelines/view.js';
import { ProblemError } from '../src/problems/problem.js';
import { formatInstant } from '../src/time/duration.js';
import {
  type Arrival,
  checkDeployment,
  inWords,
  isEnd,
  readAll,
  signalTexts,
  type TypedMessage,
  withoutWishes,
} from './pipeline-arrivals.js';
import { followChild, runChild } from './pipeline-child.js';
import { Face } from './pipeline-face.js';
import {
  type DeployedDefinition,
  type DeployRequest,
  type EventsRequest,
  type NotedView,
  pipelineNames as names,
  type PipelineActivities,
  type PipelineInput,
  type PipelineSettings,
} from './pipeline-input.js';
import { Wear } from './pipeline-wear.js';
import { resetCount } from './reset.js';

/** The longest timer that a server takes. */
const longestTimerMs = 100 * 365 * 86_400_000;

/** It is asked until it has an answer: going on without one would forget events that were acknowledged. */
const { pipelineForgotten } = proxyActivities<Pick<PipelineActivities, 'pipelineForgotten'>>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '6s',
  retry: { maximumInterval: '1m' },
  summary: 'find what the reset forgot',
});

/**
 * One pipeline, for as long as it exists: it hands whatever happens to the reducer, and does what the reducer says. It never ends by
 * itself; when its history is long, a fresh execution goes on with a snapshot.
 */
export async function pipeline(input?: PipelineInput): Promise<never> {
  if (!input?.settings || (!input.deployment && !input.snapshot))
    throw ApplicationFailure.nonRetryable(byHand, 'PIPELINE_UNKNOWN');
  const root = CancellationScope.current();
  return await CancellationScope.nonCancellable(() => {
    const entity = new Entity(input);
    root.cancelRequested.catch(() => entity.refuseCancel());
    return entity.run();
  });
}

const byHand = 'A pipeline needs its document. Start it with `journeyman pipeline deploy`.';

class Entity {
  private state: PipelineState;
  private settings: PipelineSettings;
  private readonly face: Face;
  private arrivals: Arrival[] = [];
  private timer: { at: number; scope: CancellationScope } | undefined;
  /** The run whose journey is awaited, since when, and whether that is also looked at from outside; and how it starts, until it has. */
  private child: { run: string; since: number; followed: boolean; starting?: StartEffect } | undefined;
  private readonly wear = new Wear();
  /** Resets that it knows of; one to its first task comes before it begins. */
  private resets = 0;
  /** Whether what it does now leaves a command in the history. */
  private traced = false;

  constructor(private readonly input: PipelineInput) {
    this.settings = input.settings;
    this.state = input.snapshot ? restore(input.snapshot) : newPipeline(input.deployment!, this.now());
    this.face = new Face(this.state, input.notes);
    this.listen();
  }

  private now(): number {
    return this.settings.now ?? Date.now();
  }

  /** What a pipeline holds would be lost. */
  refuseCancel(): void {
    this.note('A cancel request was ignored. To stop it, send the signal `pause`, or remove its document.');
    this.details();
    this.trace();
  }

  async run(): Promise<never> {
    const { start: first, untaken = [] } = this.input;
    const { active } = this.state;
    if (first) this.begin(first);
    else if (active) this.follow(active.key);
    for (const { signal, args } of untaken) this.signal(signal, args[0]);
    this.arrivals.push({ messages: [{ type: 'clock' }] });
    for (;;) {
      if (resetCount() !== this.resets) await this.recall();
      const start = this.step();
      if (this.isWorn(0) && (await this.continues(start))) await continueAsNew<typeof pipeline>(this.whole());
      if (start) this.begin(start);
      this.watch();
      this.trace();
      await condition(() => this.arrivals.length > 0 || resetCount() !== this.resets);
    }
  }

  /** Takes everything that has arrived; answers which journey is to be started. */
  private step(): StartEffect | undefined {
    // An end that came together with other things makes way for them.
    const arrivals = [...this.arrivals].sort((a, b) => Number(isEnd(b)) - Number(isEnd(a)));
    this.arrivals = [];
    const messages = arrivals.flatMap((arrival) => arrival.messages);
    if (messages.length === 0) return undefined;
    const advanced = advance(this.state, messages, this.now(), this.evaluation());
    // JSONata is synchronous in the bundle.
    if (advanced instanceof Promise) throw new Error('an expression of a pipeline took its time');
    let at = 0;
    for (const arrival of arrivals) {
      const answers = advanced.answers.slice(at, at + arrival.messages.length);
      at += arrival.messages.length;
      arrival.answered?.(answers);
    }
    const [start] = advanced.starts;
    // From now on it is told to whoever goes on from here, also if this execution ends before it has begun it.
    if (start) this.child = this.starting(start);
    else if (this.child && this.child.run !== this.state.active?.key) this.child = undefined;
    if (this.face.show(this.state, this.now())) this.traced = true;
    return start;
  }

  /**
   * Nothing of it may pass without a command: the SDK takes a workflow task without one that is followed by an update for the first
   * half of a longer task, but only while it does not know how that update went on. Replays would then differ from what happened.
   */
  private trace(): void {
    if (!this.traced) upsertMemo({ heardAt: formatInstant(Date.now()) });
    this.traced = false;
  }

  private evaluation(): Evaluation {
    const { limits, timezone } = this.settings;
    return {
      env: { uuid: uuid4, random: () => Math.random(), ...(timezone !== undefined && { timezone }) },
      limits: limits.expression,
    };
  }

  private starting(start: StartEffect) {
    return { run: start.run, since: this.now(), followed: false, starting: start };
  }

  private begin(start: StartEffect): void {
    this.traced = true;
    const child = this.starting(start);
    this.child = child;
    const started = () => {
      if (this.child === child) this.child = { run: child.run, since: child.since, followed: false };
    };
    void this.await(start.run, runChild(this.state.definition, this.settings, start, started));
  }

  /** Waits for a journey that another execution started, or whose end this one may not see. */
  private follow(run: string): void {
    this.traced = true;
    this.child = { run, since: this.child?.since ?? this.now(), followed: true };
    void this.await(run, followChild(this.settings, run));
  }

  private async await(run: string, end: Promise<HandlerOutcome>): Promise<void> {
    const outcome = await end;
    this.arrivals.push({ messages: [{ type: 'ended', run, outcome }] });
  }

  private listen(): void {
    for (const [name, description] of signalTexts)
      setHandler(defineSignal<[unknown?]>(name), (given) => this.signal(name, given), { description });
    setHandler(defineSignal<[unknown?]>(names.tick), (given) => this.signal(names.tick, given));
    setHandler(defineUpdate<Answer[], [TypedMessage[]]>(names.take), (given) => this.take(given), {
      validator: (given) => void readAll(given),
      description: 'Messages as the gateway sends them: [{"type": "publish", …}]',
    });
    setHandler(defineUpdate<Answer, [DeployRequest]>(names.deploy), (given) => this.deploy(given), {
      validator: checkDeployment,
      description: 'A document, read and checked: journeyman pipeline deploy',
    });
    setHandler(defineQuery<NotedView>(names.view), () => this.view(), {
      description: 'All that can be seen of the pipeline',
    });
    setHandler(
      defineQuery<EventsPage, [EventsRequest]>(names.events),
      ({ topic, ...wanted }) => eventsPage(this.state, topic, wanted),
      { description: 'Events of a topic: {"topic": "orders", "limit": 50}' },
    );
    setHandler(defineQuery<DeployedDefinition>(names.definition), () => {
      const { definition, hash, deployer } = this.state;
      return { definition, hash, deployer };
    });
    // An ended execution may be replayed beyond its history, and then begin a journey that was never started.
    setHandler(defineQuery<PipelineInput>(names.whole), () => this.whole());
  }

  /** A signal has no answer, so that what is wrong with one is said where people look. */
  private signal(name: string, given: unknown): void {
    this.wear.signals += 1;
    try {
      const messages = [readIncoming(name, given)];
      this.arrivals.push({
        messages,
        at: workflowInfo().historyLength,
        answered: ([answer]) => {
          if (answer && !answer.ok) this.note(`The signal \`${name}\` was refused: ${inWords(answer.problem)}`);
        },
      });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.note(`A signal \`${name}\` could not be read: ${inWords(error.problem)}`);
      this.details();
      this.trace();
    }
  }

  private take(given: readonly TypedMessage[]): Promise<Answer[]> {
    this.wear.updates += 1;
    return this.answerTo(readAll(given));
  }

  private async deploy({ settings, ...deployment }: DeployRequest): Promise<Answer> {
    this.wear.updates += 1;
    const [answer] = await this.answerTo([{ type: 'deploy', ...deployment }]);
    if (answer!.ok) {
      const moved = settings.now !== this.settings.now;
      this.settings = settings;
      if (moved) this.arrivals.push({ messages: [{ type: 'clock' }] });
    }
    return answer!;
  }

  private answerTo(messages: readonly Message[]): Promise<Answer[]> {
    return new Promise((resolve) => {
      this.arrivals.push({
        messages,
        at: workflowInfo().historyLength,
        answered: (answers) => {
          this.traced = true;
          resolve([...answers]);
        },
      });
    });
  }

  /**
   * Somebody made this execution begin at an earlier time. What happened since then has happened: events were acknowledged, journeys have
   * run. So the pipeline goes on from where it was. Temporal tells it again, all in this task, what it was told since then: it knows such events
   * and documents already, and does not do again what somebody wanted once.
   */
  private async recall(): Promise<void> {
    this.resets = resetCount();
    const { historyLength } = workflowInfo();
    const before = await pipelineForgotten().catch(() => null);
    if (before && 'kept' in before) this.note(before.note);
    else if (before?.snapshot) {
      this.state = restore(before.snapshot);
      this.settings = before.settings;
      this.face.notes = before.notes ?? [];
      // Executions that were reset before this was so have done it again.
      if (patched('reset-without-wishes'))
        this.arrivals = this.arrivals.map((it) => (it.at === historyLength ? withoutWishes(it) : it));
      for (const { signal, args } of before.untaken ?? []) this.signal(signal, args[0]);
      this.note(before.note ?? 'Somebody reset this pipeline. It went on from where it was before.');
    } else this.note('Somebody reset this pipeline, and what it was before could not be read: it goes on from there.');
    const { active } = this.state;
    const start = before && 'snapshot' in before ? before.start : undefined;
    if (active && start?.run === active.key) this.begin(start);
    else if (active) this.follow(active.key);
    else this.child = undefined;
    this.arrivals.push({ messages: [{ type: 'clock' }] });
  }

  /** Keeps the one timer: for the end of a sleep, and for a look at a journey that takes long. */
  private watch(): void {
    const { watchMs, now: held } = this.settings;
    // Whoever holds the clock says when a time has come.
    if (held !== undefined) return;
    const now = this.now();
    if (this.child && !this.child.followed && now - this.child.since >= watchMs) {
      // From outside, one that a busy server has not begun yet looks like one that was deleted.
      if (this.child.starting && patched('look-at-begun')) this.child.since = now;
      else this.follow(this.child.run);
    }
    const { child } = this;
    const looks = child && !child.followed ? child.since + watchMs : Number.POSITIVE_INFINITY;
    const at = Math.min(nextWake(this.state) ?? Number.POSITIVE_INFINITY, looks);
    // One that fires too early costs less than setting it anew each time.
    if (at === Number.POSITIVE_INFINITY || (this.timer && this.timer.at <= at)) return;
    this.timer?.scope.cancel();
    const scope = new CancellationScope();
    const timer = { at, scope };
    this.timer = timer;
    this.traced = true;
    const ms = Math.min(Math.max(at - now, 1), longestTimerMs);
    void scope
      .run(() => sleep(ms, { summary: 'wake a consumer, or look at a journey that takes long' }))
      .then(
        () => {
          if (this.timer === timer) this.timer = undefined;
          this.arrivals.push({ messages: [{ type: 'clock' }] });
        },
        () => undefined,
      );
  }

  private isWorn(level: 0 | 1): boolean {
    return this.wear.isWorn(level, this.settings.limits.historyEvents);
  }

  /** Whether a fresh execution may take over now: between two runs, or when there is no more time to wait for that. */
  private async continues(start: StartEffect | undefined): Promise<boolean> {
    const between = !this.state.active || start !== undefined;
    if (!between && !this.isWorn(1)) return false;
    if (!allHandlersFinished()) await condition(allHandlersFinished);
    return this.arrivals.length === 0 && jsonBytes(this.whole() as unknown as Json) <= payloadBytes;
  }

  /** What another execution goes on with. */
  private whole(): PipelineInput {
    const { settings, face } = this;
    const start = this.child?.starting;
    return { snapshot: snapshot(this.state), settings, notes: face.notes, ...(start && { start }) };
  }

  private view(): NotedView {
    const notes = this.face.notes.map(({ at, text }) => ({ at: formatInstant(at), text }));
    return { ...viewOf(this.state, this.now()), notes };
  }

  private note(said: string): void {
    this.face.note(said, this.now());
  }

  private details(): void {
    this.face.details(this.state, this.now());
  }
}
