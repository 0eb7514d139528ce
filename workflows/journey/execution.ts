import { CancellationScope, setCurrentDetails, uuid4, workflowInfo } from '@temporalio/workflow';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import type { Json } from '../../src/base/json/value.js';
import type { Host } from '../../src/engine/host.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { sizeProblem } from '../../src/engine/payload-limits.js';
import { Run, type RunResult } from '../../src/engine/run.js';
import { vocabulary } from '../../src/language/state-types-and-task-kinds.js';
import { publicSpan } from '../../src/language/states/error-code-for-telemetry.js';
import { continueOnCurrentVersion } from '../shared/continue-on-current-version.js';
import { continuedInput, journeyArguments } from './build-workflow-input.js';
import { parentRun } from './call-other-workers.js';
import { Inbox } from './handle-run-messages.js';
import { HistoryBudget } from './history-budget.js';
import { RunMigrator } from './migrate-run.js';
import { type EffectContext, TemporalScope } from './perform-effects-in-scope.js';
import type { Start } from './read-start.js';
import { recordPositions } from './record-positions-on-replay.js';
import { spanEnded } from './report-spans.js';
import { ResetGuard } from './scheduled-run.js';
import { runDetails, Visibility } from './visibility-and-details.js';
import type { CarriedCompensation, JourneyInput, JourneyWorkflow } from './workflow-contract.js';
import { WorkflowTaskBudget } from './workflow-task-budget.js';

/** The outcome of a run with its last context. */
export type Ended = Extract<RunResult, { outcome: Outcome }>;

/** One execution of a run: the engine's run, its host on Temporal, its inbox and its display. */
export class Execution {
  readonly run: Run;
  readonly inbox: Inbox;
  readonly visibility: Visibility;
  readonly taskBudget = new WorkflowTaskBudget();
  private readonly historyBudget: HistoryBudget;
  private readonly scope = CancellationScope.current();
  private readonly notes: string[] = [];
  private readonly migration: RunMigrator;
  private readonly resetGuard: ResetGuard | undefined;

  constructor(readonly start: Start) {
    const { input, definition, info, position, scheduled } = start;
    const { carried, limits } = input;
    if (carried?.migratedFrom !== undefined) this.note(`It was migrated from version ${carried.migratedFrom}.`);
    this.historyBudget = new HistoryBudget(limits.historyEvents, this.taskBudget, workflowInfo);
    this.resetGuard = scheduled && new ResetGuard(scheduled);
    this.run = new Run(definition, info, position, this.host(), vocabulary);
    if (carried) this.run.updatedAt = carried.updatedAt;
    this.visibility = new Visibility(this.run, carried !== undefined);
    const { run, notes, taskBudget, historyBudget } = this;
    this.inbox = new Inbox({ run, notes, input, taskBudget, historyBudget });
    recordPositions(run);
    this.migration = new RunMigrator(run, input, this.inbox, () => this.nextInput());
    if (!definition.lifecycle.cancellable) this.noteIgnoredCancel();
  }

  /** Runs the journey to its end, or until it continues as new. 'refused': it was reset, and its schedule does not admit it again. */
  async execute(): Promise<RunResult | 'refused'> {
    const { run, resetGuard } = this;
    const { compensation } = this.start.input.carried ?? {};
    if (compensation) return { outcome: compensation.outcome, context: run.position.root.context };
    if (!resetGuard) return await run.execute();
    const result = await Promise.race([run.execute(), resetGuard.refused]);
    return (await resetGuard.refuses()) ? 'refused' : result;
  }

  /** Continues as new, by another definition if the run migrates. Returns only if the position is too large for that. */
  async continueAsNew(): Promise<Ended> {
    this.visibility.showAttributes();
    const migrated = this.migration.continueAsNew();
    if (migrated) return await migrated;
    const bytes = jsonBytes(this.nextInput() as unknown as Json);
    const excess = sizeProblem('The position of the run', bytes, maxPayloadBytes);
    if (excess) return await this.run.refused(excess);
    const space = this.taskBudget.reserve(bytes);
    if (space) await space;
    // A message may have arrived in the meantime, so the input is built again.
    return await continueOnCurrentVersion<JourneyWorkflow>(journeyArguments(this.nextInput()));
  }

  /** Continues the compensation inside the run as new. */
  async continueCompensation(compensation: CarriedCompensation): Promise<never> {
    const input = this.nextInput(compensation);
    const space = this.taskBudget.reserve(jsonBytes(input as unknown as Json));
    if (space) await space;
    return await continueOnCurrentVersion<JourneyWorkflow>(journeyArguments(input));
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /** Shows the run in the Web UI. */
  showDetails(outcome?: Outcome): void {
    setCurrentDetails(runDetails(this.run, this.notes, outcome));
  }

  /**
   * The host of a compensation inside the run: no cancel request reaches it, and it has no steps. One that is too large to continue as new
   * stays in this execution: undoing what was done matters more than a short history.
   */
  compensationHost(position: () => CarriedCompensation): Host {
    const { admitted: _, ...effects } = this.effects();
    return {
      ...this.run.host,
      scope: this.shieldedScope(effects),
      parked: () => undefined,
      progressed: () => undefined,
      wantsContinue: () =>
        this.historyBudget.isSpent &&
        this.inbox.idle &&
        jsonBytes(this.nextInput(position()) as unknown as Json) <= maxPayloadBytes,
    };
  }

  private host(): Host {
    const { definition, input } = this.start;
    const { limits, timezone, interpreter } = input;
    const { taskBudget, historyBudget, scope } = this;
    const effects = this.effects();
    return {
      now: () => Date.now(),
      uuid: () => uuid4(),
      random: () => Math.random(),
      limits: limits.expression,
      maxStates: limits.steps,
      interpreter,
      metadata: limits.metadata,
      ...(timezone !== undefined && { timezone }),
      scope: definition.lifecycle.cancellable ? new TemporalScope(scope, effects) : this.shieldedScope(effects),
      parked: () => {
        this.visibility.park();
        this.showDetails();
      },
      progressed: () => this.showDetails(),
      note: (text) => this.note(text),
      keptSubmission: (stepId, schema) => this.inbox.takeKept(stepId, schema),
      wantsContinue: () => historyBudget.isSpent && this.inbox.idle && !scope.consideredCancelled,
      mustContinue: () => historyBudget.isLarge,
      itemsAtOnce: () => historyBudget.callsAtOnce,
      yield: () => taskBudget.yield(),
      maxPayloadBytes: maxPayloadBytes,
      calls: limits.calls,
      ...(spanEnded && { spanEnded: (span) => spanEnded?.(publicSpan(definition, span)) }),
    };
  }

  private effects(): EffectContext {
    const { taskBudget, historyBudget, resetGuard } = this;
    return {
      taskBudget,
      historyBudget,
      origin: () => this.origin(),
      parent: () => parentRun(this.run),
      begins: () => this.visibility.showAttributes(),
      ...(resetGuard && { admitted: resetGuard.admitted }),
    };
  }

  /** A scope that no cancel request reaches. */
  private shieldedScope(effects: EffectContext): TemporalScope {
    const scope = new CancellationScope({ cancellable: false, parent: this.scope });
    return new TemporalScope(scope, effects).fork();
  }

  /** The source of schedules that the run creates: its input and memo. */
  private origin(): Json {
    const { carried: _, request: __, ...input } = this.start.input;
    return { input: { ...input, context: {} }, memo: workflowInfo().memo?.journey } as unknown as Json;
  }

  /** The input of the execution that would continue the run now. */
  private nextInput(compensation?: CarriedCompensation): JourneyInput {
    const { run, inbox } = this;
    const { input, scheduled } = this.start;
    const migratedFrom = input.carried?.migratedFrom;
    const { progress: _, ...root } = run.position.root;
    return continuedInput(input, run.info, {
      // A run that is being compensated has ended: only its context is still needed.
      position: compensation ? { ...run.position, root } : run.position,
      updatedAt: run.updatedAt,
      ...inbox.carried(),
      ...(scheduled && { scheduled: { record: scheduled.record, nominal: scheduled.nominal } }),
      ...(migratedFrom !== undefined && { migratedFrom }),
      ...(compensation && { compensation }),
    });
  }

  private noteIgnoredCancel(): void {
    this.scope.cancelRequested.catch(() => {
      this.note('A cancel request was ignored: this journey is not cancellable.');
      this.showDetails();
    });
  }
}
