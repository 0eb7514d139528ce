import { copy, type JsonObject } from '../../../src/base/json/value.js';
import { defaultCalls } from '../../../src/engine/budgets.js';
import { compensationRun, type DueCompensation, dueCompensation } from '../../../src/engine/compensation.js';
import type { LocalEnvironment } from '../../../src/engine/local-cancellation-scope.js';
import type { Outcome } from '../../../src/engine/outcome.js';
import { type Position, Run, type RunInfo, type RunResult, startPosition } from '../../../src/engine/run.js';
import { OpenSteps } from '../../../src/engine/step-submissions.js';
import { defaultLimits } from '../../../src/expressions/expression-engine-interface.js';
import { flushPromises } from '../../../src/scenarios/virtual/virtual-clock.js';
import { Random } from '../dataweave/random.js';
import { Clients } from './clients.js';
import { WorldInbox } from './inbox.js';
import { worldStart } from './journey-builder.js';
import type { Visit, WorldLog } from './log.js';
import { Services } from './services.js';
import { VisitRecorder } from './visit-recorder.js';
import { WatchedScope } from './watched-scope.js';
import { type WatchedHost, watchedVocabulary } from './watched-vocabulary.js';
import type { World } from './world.js';
import { WorldClock } from './world-clock.js';

/** Whether a run continues as new never or at every safe point. */
export type Continues = 'never' | 'always';

/** More events than any world has. */
const mostEvents = 5_000;

/** Plays a world from its start until no events are left. */
export async function playWorld(world: World, continues: Continues = 'never'): Promise<WorldLog> {
  return await new WorldPlay(world, continues).toEnd();
}

/** One execution of a run, or of its compensation. */
interface Execution {
  run: Run;
  scope: WatchedScope;
  /** Whether it has continued as new. */
  isOver: boolean;
  /** The progress of the play at its start. */
  since: number;
}

class WorldPlay {
  private readonly log: WorldLog = {
    visits: [],
    frames: new Map(),
    submissions: [],
    cuts: [],
    ignoredCancels: 0,
    compensations: [],
    continued: 0,
    faults: [],
    waiting: [],
    tied: false,
  };
  private readonly clock: WorldClock;
  private readonly services: Services;
  private readonly clients: Clients;
  private readonly recorder: VisitRecorder;
  private readonly inbox: WorldInbox;
  private main!: Execution;
  private compensation: Execution | undefined;
  private count = 0;
  /** Counts everything that changes a position: states, responses, submissions. */
  private progress = 0;
  private info: RunInfo = { id: 'world', startedAt: worldStart, environment: 'test', config: {} };

  constructor(
    private readonly world: World,
    private readonly continues: Continues,
  ) {
    const { definition } = world.journey;
    this.clock = new WorldClock(worldStart, world.outage);
    this.services = new Services(
      world,
      this.clock,
      () => this.seq(),
      (effect) => this.recorder.visitOf(effect),
    );
    const isCurrent = (run: Run) => run === this.main.run || run === this.compensation?.run;
    this.recorder = new VisitRecorder(
      this.log,
      this.clock,
      () => this.seq(),
      isCurrent,
      (it) => this.began(it),
    );
    const openSteps = () => (this.log.outcome ? new OpenSteps() : this.main.run.steps);
    this.inbox = new WorldInbox(world, this.log, this.clock, () => this.seq(), openSteps);
    this.clients = new Clients(world, this.clock, (it) => {
      this.progress += 1;
      this.inbox.submit(it);
    });
    const request = definition.looksAtRequests ? { queue: 'world', id: 'start' } : undefined;
    if (world.cancelAt !== undefined) this.clock.at(worldStart + world.cancelAt, () => this.cancel());
    this.launch(startPosition(definition, copy(world.input), worldStart, undefined, undefined, request));
  }

  private seq(): number {
    this.count += 1;
    return this.count;
  }

  private began(visit: Visit): void {
    this.progress += 1;
    const fact = this.world.journey.facts.get(visit.state);
    if (fact?.is === 'step') this.clients.active(visit, fact.timeoutMs);
  }

  async toEnd(): Promise<WorldLog> {
    const { clock, log } = this;
    let events = 0;
    do {
      await flushPromises();
      await this.settle();
      events += 1;
    } while (events < mostEvents && clock.fire());
    if (events >= mostEvents) log.faults.push(`it does not end within ${mostEvents} events`);
    if (!log.outcome && log.faults.length === 0) this.checkParked();
    log.tied = clock.tied;
    return log;
  }

  /** A run that has not ended must wait for a client, because no other event is left. */
  private checkParked(): void {
    const { run } = this.main;
    this.log.waiting = run.steps.all().map(({ id }) => id);
    if (this.log.waiting.length === 0) this.log.faults.push('it neither ended nor waits for a step');
    if (!run.parking.quiescent) this.log.faults.push('it waits, but does not count as parked');
  }

  /** Responds to submissions when the run is idle, and lets it continue as new there. */
  private async settle(): Promise<void> {
    while (this.isIdle) {
      const isAnswering = this.inbox.answer();
      if (!isAnswering && (this.log.outcome || !this.wantsContinue(this.main) || !this.main.run.parking.stop())) return;
      await flushPromises();
    }
  }

  private get isIdle(): boolean {
    return this.log.outcome !== undefined || this.main.run.parking.quiescent;
  }

  private wantsContinue(execution: Execution): boolean {
    return this.continues !== 'never' && !this.inbox.isAnswering && this.progress > execution.since;
  }

  private launch(position: Position): void {
    const { journey } = this.world;
    const execution = this.execution(
      (host) => new Run(journey.definition, this.info, position, host, watchedVocabulary),
    );
    this.main = execution;
    this.follow(execution, (result) => {
      if ('continueAt' in result) this.continueAt(result.continueAt, execution);
      else this.end(execution.run, result);
    });
  }

  private execution(create: (host: WatchedHost) => Run): Execution {
    const { clock, services, world } = this;
    const environment: LocalEnvironment = {
      sleepUntil: (instant, label, stop) =>
        new Promise((resolve) => {
          const due = () => {
            if (label === 'deadline') this.cut('deadline');
            resolve();
          };
          stop(clock.at(instant, due));
        }),
      perform: async (effect, stop) => {
        const answer = services.perform(effect, stop);
        return await answer.finally(() => {
          this.progress += 1;
        });
      },
    };
    const recorded = () => {
      const at = clock.now();
      return execution.isOver ? { handedOverAt: at } : { cutAt: { seq: this.seq(), at } };
    };
    const scope = new WatchedScope(environment, recorded);
    const random = new Random(world.seed);
    const execution: Execution = { run: undefined as unknown as Run, scope, isOver: false, since: this.progress };
    execution.run = create({
      watcher: this.recorder,
      scope,
      now: () => clock.now(),
      random: () => random.next(),
      uuid: () => `00000000-0000-4000-8000-${String(random.below(1e12)).padStart(12, '0')}`,
      limits: defaultLimits,
      calls: defaultCalls,
      yield: async () => undefined,
      note: () => undefined,
      keptSubmission: (address, schema) => this.inbox.takeKept(address, schema),
      wantsContinue: () => this.wantsContinue(execution),
    });
    return execution;
  }

  private follow(execution: Execution, ended: (result: RunResult) => void | Promise<void>): void {
    execution.run
      .execute()
      .then(ended)
      .catch((error) => {
        this.log.faults.push(`an internal error: ${(error as Error).stack ?? String(error)}`);
      });
  }

  private handOver(execution: Execution, position: Position): Position {
    const carried = JSON.parse(JSON.stringify(position)) as Position;
    execution.isOver = true;
    execution.scope.interrupt('superseded');
    this.log.continued += 1;
    return carried;
  }

  private continueAt(position: Position, execution: Execution): void {
    if (this.log.cuts.length > 0) this.log.faults.push('it continued as new after it was cut short');
    const carried = this.handOver(execution, position);
    this.info = execution.run.info;
    this.inbox.continueAsNew();
    this.launch(carried);
  }

  private async end(run: Run, { outcome, context }: { outcome: Outcome; context: JsonObject }): Promise<void> {
    const { log, clock } = this;
    if (log.outcome) log.faults.push('it ended twice');
    Object.assign(log, { outcome, context, endedAt: clock.now(), ended: this.seq() });
    const due = await dueCompensation(run, outcome, context, this.info.id);
    if (due) this.compensate(run, due, { started: this.seq(), context });
  }

  private compensate(
    before: Run,
    at: DueCompensation | { position: Position },
    entry: WorldLog['compensations'][number],
  ): void {
    if (!('position' in at)) this.log.compensations.push(entry);
    const execution = this.execution((host) => compensationRun(before, host, at));
    this.compensation = execution;
    this.follow(execution, (result) => {
      if ('continueAt' in result)
        this.compensate(before, { position: this.handOver(execution, result.continueAt) }, entry);
      else entry.outcome = result.outcome;
    });
  }

  private cut(cause: 'cancel' | 'deadline'): void {
    if (!this.log.outcome) this.log.cuts.push({ seq: this.seq(), at: this.clock.now(), cause });
  }

  private cancel(): void {
    if (this.log.outcome) return;
    if (!this.world.journey.cancellable) {
      this.log.ignoredCancels += 1;
      return;
    }
    this.cut('cancel');
    this.main.scope.interrupt('cancel');
  }
}
