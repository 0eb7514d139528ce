import type { SearchAttributePair } from '@temporalio/common';
import { CancellationScope, defineUpdate, setHandler, workflowInfo } from '@temporalio/workflow';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import type { Json } from '../../src/base/json/value.js';
import { type Problem, problem } from '../../src/base/problems/problem.js';
import { sizeProblem } from '../../src/engine/payload-limits.js';
import type { Run } from '../../src/engine/run.js';
import { migratedPosition, migrationConflict } from '../../src/language/states/check-migration.js';
import { continueOnCurrentVersion } from '../shared/continue-on-current-version.js';
import { keys } from '../shared/run-search-attributes.js';
import { journeyArguments } from './build-workflow-input.js';
import { type Inbox, refusal } from './handle-run-messages.js';
import { activationSettled } from './timers-before-updates.js';
import { type JourneyInput, type JourneyWorkflow, names, type RunMigration } from './workflow-contract.js';

/**
 * Migrates a parked run to another version of its journey: the run stops where it waits, and continues as new from there with the other
 * definition. Its id, steps and waits stay the same, and messages sent in the meantime reach one of the two executions.
 */
export class RunMigrator {
  private accepted: RunMigration | undefined;

  constructor(
    private readonly run: Run,
    private readonly input: JourneyInput,
    private readonly inbox: Inbox,
    /** Builds the input of the execution that would continue the run now. */
    private readonly nextInput: () => JourneyInput,
  ) {
    setHandler(defineUpdate<void, [RunMigration]>(names.migrate), (it) => this.migrate(it), {
      validator: (it) => this.check(it),
      description: 'Migrates a parked run to another version of its journey',
    });
  }

  /** Continues as new with the other definition. Undefined if no migration was requested. */
  continueAsNew(): Promise<never> | undefined {
    const { accepted } = this;
    if (!accepted) return undefined;
    const { memo, typedSearchAttributes } = workflowInfo();
    const known = Object.values(keys).flatMap((key): SearchAttributePair[] => {
      const value = typedSearchAttributes.get(key as typeof keys.JourneyVersion);
      return value === undefined ? [] : [{ key, value } as SearchAttributePair];
    });
    const version = { key: keys.JourneyVersion, value: accepted.definition.version };
    return continueOnCurrentVersion<JourneyWorkflow>(journeyArguments(this.migratedInput(accepted)), {
      memo: { ...memo, journey: accepted.memo },
      typedSearchAttributes: [...known.filter(({ key }) => key !== keys.JourneyVersion), version],
    });
  }

  private async migrate(asked: RunMigration): Promise<void> {
    // Messages of the same workflow task are processed first, so that none is lost.
    await CancellationScope.nonCancellable(activationSettled);
    this.check(asked);
    const excess = sizeProblem(
      'The position of the run',
      jsonBytes(this.migratedInput(asked) as unknown as Json),
      maxPayloadBytes,
    );
    if (excess) throw refusal(excess);
    this.accepted = asked;
    this.run.parking.stop();
  }

  private migratedInput({ definition, config, callbacks }: RunMigration): JourneyInput {
    const { carried, info, ...next } = this.nextInput();
    const allCallbacks = { ...info.callbacks, ...callbacks };
    return {
      ...next,
      definition,
      info: { ...info, config, ...((callbacks ?? info.callbacks) && { callbacks: allCallbacks }) },
      carried: {
        ...carried!,
        position: migratedPosition(carried!.position, definition, Date.now()),
        migratedFrom: this.run.definition.version,
      },
    };
  }

  private check(asked: RunMigration): void {
    const refused = this.owned() ?? this.busy() ?? this.unfit(asked);
    if (refused) throw refusal(refused);
  }

  /** Rejects runs that belong to a schedule, a pipeline or another run, which determines the version. */
  private owned(): Problem | undefined {
    const { info, bindings } = this.input;
    if (info.scheduled)
      return problem('MIGRATION_NOT_POSSIBLE', 'It is a scheduled run.', {
        hint: 'Migrate the schedule; its next run has the other version.',
      });
    if (info.handler || bindings || workflowInfo().parent)
      return problem('MIGRATION_NOT_POSSIBLE', 'It is part of another run, a job or a pipeline.', {
        hint: 'Its version is that of the run, job or pipeline it belongs to.',
      });
    return undefined;
  }

  private busy(): Problem | undefined {
    const { run, inbox } = this;
    if (run.parking.quiescent && inbox.idle && !run.isDue(Date.now())) return undefined;
    return problem('MIGRATION_NOT_POSSIBLE', 'The run is not waiting.', {
      hint: 'Migrate it when it waits for a step or a timer.',
    });
  }

  private unfit({ definition }: RunMigration): Problem | undefined {
    const found = migrationConflict(this.run.definition, definition, this.run.position.root);
    if (!found) return undefined;
    const { why, pointer } = found;
    return problem('MIGRATION_NOT_POSSIBLE', `${definition.name} ${definition.version} is not compatible: ${why}`, {
      pointer,
    });
  }
}
