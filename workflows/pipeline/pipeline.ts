import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import type { Json } from '../../src/base/json/value.js';
import { ProblemError } from '../../src/base/problems/problem.js';
import { formatInstant } from '../../src/base/time/instant.js';
import { newPipeline } from '../../src/pipelines/apply-deployment.js';
import { nextWake } from '../../src/pipelines/choose-next-run.js';
import type { Answer, HandlerOutcome, Message, StartEffect } from '../../src/pipelines/messages-and-effects.js';
import { readIncoming } from '../../src/pipelines/read-incoming-messages.js';
import { advance, type EvaluationOptions } from '../../src/pipelines/reduce-and-evaluate.js';
import { restore, snapshot } from '../../src/pipelines/snapshot.js';
import type { PipelineState } from '../../src/pipelines/state.js';
import { type SourceView, sourcesOf } from '../../src/pipelines/topics/deliver-source-records.js';
import { type EventsPage, eventsPage, pipelineView } from '../../src/pipelines/view.js';
import { continueOnCurrentVersion } from '../shared/continue-on-current-version.js';
import { resetCount } from '../shared/reset-count.js';
import { HistoryUsage } from './history-budget.js';
import {
  type Arrival,
  checkDeployment,
  Mailbox,
  problemText,
  readMessages,
  signalTexts,
  type TypedMessage,
} from './read-and-queue-messages.js';
import { followChild, runChild } from './run-child.js';
import { PipelineDisplay } from './visibility-and-details.js';
import { WakeTimer } from './wake-timer.js';
import {
  type DeployedDefinition,
  type DeployRequest,
  type EventsRequest,
  type NotedView,
  pipelineNames as names,
  type PipelineActivities,
  type PipelineInput,
  type PipelineSettings,
} from './workflow-contract.js';

/** Retried until it has an answer: continuing without one would forget events that were acknowledged. */
const { pipelineBeforeReset } = proxyActivities<Pick<PipelineActivities, 'pipelineBeforeReset'>>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '6s',
  retry: { maximumInterval: '1m' },
  summary: 'read the state before the reset',
});

/**
 * Runs one pipeline for as long as it exists: passes every message to the reducer and performs the reducer's decisions. It never ends by
 * itself; when its history is long, it continues as new with a snapshot.
 */
export async function pipeline(input?: PipelineInput): Promise<never> {
  if (!input?.settings || (!input.deployment && !input.snapshot))
    throw ApplicationFailure.nonRetryable(startedByHand, 'PIPELINE_UNKNOWN');
  const root = CancellationScope.current();
  return await CancellationScope.nonCancellable(() => {
    const entity = new PipelineEntity(input);
    root.cancelRequested.catch(() => entity.ignoreCancel());
    return entity.run();
  });
}

const startedByHand = 'A pipeline needs its document. Start it with `journeyman pipeline deploy`.';

/** The journey of the active run. */
interface ActiveChild {
  readonly run: string;
  /** Time at which it was started, or last found to be still starting. */
  since: number;
  /** Whether an activity waits for its end, because this execution may not see it. */
  readonly followed: boolean;
  /** The effect that starts it, until it has been started. */
  readonly starting?: StartEffect;
}

class PipelineEntity {
  private state: PipelineState;
  private settings: PipelineSettings;
  private readonly display: PipelineDisplay;
  private readonly mailbox = new Mailbox();
  private readonly usage = new HistoryUsage();
  private readonly timer = new WakeTimer(() => this.mailbox.addClockTick());
  private child: ActiveChild | undefined;
  /** The number of resets handled so far; one to the first workflow task comes before the entity exists. */
  private resets = 0;
  /** Whether the current workflow task has issued a command. */
  private hasCommand = false;

  constructor(private readonly input: PipelineInput) {
    this.settings = input.settings;
    this.state = input.snapshot ? restore(input.snapshot) : newPipeline(input.deployment!, this.now());
    this.display = new PipelineDisplay(this.state, input.notes);
    this.handleMessages();
    this.handleQueries();
  }

  async run(): Promise<never> {
    const { start, unhandled = [] } = this.input;
    this.resumeChild(start);
    for (const { signal, args } of unhandled) this.receiveSignal(signal, args[0]);
    this.mailbox.addClockTick();
    for (;;) {
      if (this.wasReset) await this.recoverFromReset();
      const next = this.advance(this.mailbox.drain());
      if (this.isLong('soft') && (await this.mayContinue(next)))
        await continueOnCurrentVersion<typeof pipeline>([this.nextInput()]);
      if (next) this.startChild(next);
      this.setTimer();
      this.ensureCommand();
      await condition(() => !this.mailbox.isEmpty || this.wasReset);
    }
  }

  /** Ignores a cancel request: events would be lost. */
  ignoreCancel(): void {
    this.note('A cancel request was ignored. To stop it, send the signal `pause`, or remove its document.');
    this.showDetails();
    this.ensureCommand();
  }

  /** Hands the messages to the reducer, answers them and updates the display. Returns the journey to start. */
  private advance(arrivals: readonly Arrival[]): StartEffect | undefined {
    const messages = arrivals.flatMap((arrival) => arrival.messages);
    if (messages.length === 0) return undefined;
    const advanced = advance(this.state, messages, this.now(), this.evaluation());
    // JSONata is synchronous in the bundle.
    if (advanced instanceof Promise) throw new Error('an expression of a pipeline returned a promise');
    let at = 0;
    for (const arrival of arrivals) {
      arrival.answered?.(advanced.answers.slice(at, at + arrival.messages.length));
      at += arrival.messages.length;
    }
    const [start] = advanced.starts;
    // Recorded before the start: an execution that continues from here must start the journey if this one does not.
    if (start) this.child = this.startingChild(start);
    else if (this.child?.run !== this.state.active?.key) this.child = undefined;
    if (this.display.show(this.state, this.now())) this.hasCommand = true;
    return start;
  }

  /**
   * Makes sure that the workflow task issues a command. The SDK takes a task without one that is followed by an update for the first half of
   * a longer task, but only while it does not know how that update ended. Replays would then differ from the original execution.
   */
  private ensureCommand(): void {
    if (!this.hasCommand) upsertMemo({ heardAt: formatInstant(Date.now()) });
    this.hasCommand = false;
  }

  private startChild(start: StartEffect): void {
    this.hasCommand = true;
    const child = this.startingChild(start);
    this.child = child;
    const started = () => {
      if (this.child === child) this.child = { run: child.run, since: child.since, followed: false };
    };
    void this.awaitChild(start.run, runChild(this.state.definition, this.settings, start, started));
  }

  /** Waits for a journey that another execution started, or whose end this one may not see. */
  private followChild(run: string): void {
    this.hasCommand = true;
    this.child = { run, since: this.child?.since ?? this.now(), followed: true };
    void this.awaitChild(run, followChild(this.settings, run));
  }

  private async awaitChild(run: string, end: Promise<HandlerOutcome>): Promise<void> {
    const outcome = await end;
    this.mailbox.add({ messages: [{ type: 'ended', run, outcome }] });
  }

  private startingChild(start: StartEffect): ActiveChild {
    return { run: start.run, since: this.now(), followed: false, starting: start };
  }

  /** Starts the journey of the active run if no execution has, else waits for it. */
  private resumeChild(start: StartEffect | undefined): void {
    const { active } = this.state;
    if (active && start?.run === active.key) this.startChild(start);
    else if (active) this.followChild(active.key);
    else this.child = undefined;
  }

  private handleMessages(): void {
    for (const [name, description] of signalTexts)
      setHandler(defineSignal<[unknown?]>(name), (given) => this.receiveSignal(name, given), { description });
    setHandler(defineSignal<[unknown?]>(names.tick), (given) => this.receiveSignal(names.tick, given));
    setHandler(defineUpdate<Answer[], [TypedMessage[]]>(names.take), (given) => this.receiveMessages(given), {
      validator: (given) => void readMessages(given),
      description: 'Messages as the gateway sends them: [{"type": "publish", …}]',
    });
    setHandler(defineUpdate<Answer, [DeployRequest]>(names.deploy), (given) => this.deploy(given), {
      validator: checkDeployment,
      description: 'A document, read and checked: journeyman pipeline deploy',
    });
  }

  private handleQueries(): void {
    setHandler(defineQuery<NotedView>(names.view), () => this.view(), {
      description: 'Topics, handlers and runs of the pipeline',
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
    // Scenarios publish the events of a source themselves.
    setHandler(defineQuery<SourceView[]>(names.sources), () =>
      this.settings.now === undefined ? sourcesOf(this.state) : [],
    );
    // A replay of an ended execution may run beyond its history and decide on a journey that was never started.
    setHandler(defineQuery<PipelineInput>(names.nextInput), () => this.nextInput());
  }

  /** A signal has no answer, so its problems are written to the notes. */
  private receiveSignal(name: string, given: unknown): void {
    this.usage.signals += 1;
    try {
      this.mailbox.add({
        messages: [readIncoming(name, given)],
        at: workflowInfo().historyLength,
        answered: ([answer]) => {
          if (answer && !answer.ok) this.note(`The signal \`${name}\` was refused: ${problemText(answer.problem)}`);
        },
      });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.note(`A signal \`${name}\` could not be read: ${problemText(error.problem)}`);
      this.showDetails();
      this.ensureCommand();
    }
  }

  private receiveMessages(given: readonly TypedMessage[]): Promise<Answer[]> {
    this.usage.updates += 1;
    return this.answersTo(readMessages(given));
  }

  private async deploy({ settings, ...deployment }: DeployRequest): Promise<Answer> {
    this.usage.updates += 1;
    const [answer] = await this.answersTo([{ type: 'deploy', ...deployment }]);
    if (answer!.ok) {
      const clockMoved = settings.now !== this.settings.now;
      this.settings = settings;
      if (clockMoved) this.mailbox.addClockTick();
    }
    return answer!;
  }

  private answersTo(messages: readonly Message[]): Promise<Answer[]> {
    return new Promise((resolve) => {
      this.mailbox.add({
        messages,
        at: workflowInfo().historyLength,
        answered: (answers) => {
          this.hasCommand = true;
          resolve([...answers]);
        },
      });
    });
  }

  private get wasReset(): boolean {
    return resetCount() !== this.resets;
  }

  /**
   * Restores the state from before the reset. Events were acknowledged and journeys have run since then, so the pipeline continues from where
   * it was. The server delivers the messages since the reset point again, all in this task: events and documents are recognised by
   * their ids, and commands are dropped.
   */
  private async recoverFromReset(): Promise<void> {
    this.resets = resetCount();
    const { historyLength } = workflowInfo();
    const before = await pipelineBeforeReset().catch(() => null);
    if (before && 'kept' in before) this.note(before.note);
    else if (before?.snapshot) {
      this.state = restore(before.snapshot);
      this.settings = before.settings;
      this.display.notes = before.notes ?? [];
      this.mailbox.dropCommands(historyLength);
      for (const { signal, args } of before.unhandled ?? []) this.receiveSignal(signal, args[0]);
      this.note(before.note ?? 'The pipeline was reset, and continued from its state before the reset.');
    } else
      this.note(
        'The pipeline was reset, and its state before the reset could not be read: it continues from the reset point.',
      );
    this.resumeChild(before && 'snapshot' in before ? before.start : undefined);
    this.mailbox.addClockTick();
  }

  /** Sets the one timer: for the end of a consumer's sleep, and to follow a journey that takes long. */
  private setTimer(): void {
    const { watchMs, now: frozen } = this.settings;
    // Time that is frozen moves by deployments.
    if (frozen !== undefined) return;
    const now = this.now();
    if (this.child && !this.child.followed && now - this.child.since >= watchMs) {
      // From outside, a journey that a busy server has not started yet looks like a deleted one.
      if (this.child.starting) this.child.since = now;
      else this.followChild(this.child.run);
    }
    const { child } = this;
    const followAt = child && !child.followed ? child.since + watchMs : Number.POSITIVE_INFINITY;
    const wakeAt = nextWake(this.state) ?? Number.POSITIVE_INFINITY;
    if (this.timer.set(Math.min(wakeAt, followAt), now)) this.hasCommand = true;
  }

  private isLong(limit: 'soft' | 'hard'): boolean {
    return this.usage.exceeds(limit, this.settings.limits.historyEvents);
  }

  /** Whether the pipeline may continue as new now: between two runs, or at once when the history is too long to wait. */
  private async mayContinue(start: StartEffect | undefined): Promise<boolean> {
    const isBetweenRuns = !this.state.active || start !== undefined;
    if (!isBetweenRuns && !this.isLong('hard')) return false;
    if (!allHandlersFinished()) await condition(allHandlersFinished);
    return this.mailbox.isEmpty && jsonBytes(this.nextInput() as unknown as Json) <= maxPayloadBytes;
  }

  /** The input of the execution that continues this one. */
  private nextInput(): PipelineInput {
    const { settings, display } = this;
    const start = this.child?.starting;
    return { snapshot: snapshot(this.state), settings, notes: display.notes, ...(start && { start }) };
  }

  private view(): NotedView {
    const notes = this.display.notes.map(({ at, text }) => ({ at: formatInstant(at), text }));
    return { ...pipelineView(this.state, this.now()), notes };
  }

  private evaluation(): EvaluationOptions {
    const { limits, timezone } = this.settings;
    return {
      env: { uuid: uuid4, random: () => Math.random(), ...(timezone !== undefined && { timezone }) },
      limits: limits.expression,
    };
  }

  private now(): number {
    return this.settings.now ?? Date.now();
  }

  private note(text: string): void {
    this.display.note(text, this.now());
  }

  private showDetails(): void {
    this.display.showDetails(this.state, this.now());
  }
}
