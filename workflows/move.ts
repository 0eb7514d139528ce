import type { SearchAttributePair } from '@temporalio/common';
import { CancellationScope, defineUpdate, makeContinueAsNewFunc, setHandler, workflowInfo } from '@temporalio/workflow';
import { excessOf } from '../src/engine/payload.js';
import type { Run } from '../src/engine/run.js';
import { jsonBytes, payloadBytes } from '../src/json/size.js';
import type { Json } from '../src/json/value.js';
import { type Problem, problem } from '../src/problems/problem.js';
import { misfit, movedPosition } from '../src/states/move.js';
import { type Inbox, refusal } from './inbox.js';
import { type JourneyInput, type JourneyWorkflow, journeyArguments, names, type RunMove } from './input.js';
import { settled } from './lateness.js';
import { keys } from './search-attributes.js';

/** What a fresh execution would go on with, as the run stands. */
type HandedOn = () => JourneyInput;

/**
 * Takes a parked run to another version of its journey: it stops where it rests, and a fresh execution goes on from there by the other
 * definition. So its id, its steps and what it waits for stay, and whatever is sent to it meanwhile reaches the one or the other.
 */
export class Moves {
  private taken: RunMove | undefined;

  constructor(
    private readonly run: Run,
    private readonly input: JourneyInput,
    private readonly inbox: Inbox,
    private readonly handedOn: HandedOn,
  ) {
    setHandler(defineUpdate<void, [RunMove]>(names.move), (it) => this.move(it), {
      validator: (it) => this.check(it),
      description: 'Moves a parked run to another version of its journey',
    });
  }

  /** Goes on as a fresh execution by the other definition, where the run has stopped for that. */
  goOn(): Promise<never> | undefined {
    const { taken } = this;
    if (!taken) return undefined;
    const { memo, typedSearchAttributes } = workflowInfo();
    const known = Object.values(keys).flatMap((key): SearchAttributePair[] => {
      const value = typedSearchAttributes.get(key as typeof keys.JourneyVersion);
      return value === undefined ? [] : [{ key, value } as SearchAttributePair];
    });
    const version = { key: keys.JourneyVersion, value: taken.definition.version };
    const goesOn = makeContinueAsNewFunc<JourneyWorkflow>({
      memo: { ...memo, journey: taken.memo },
      typedSearchAttributes: [...known.filter(({ key }) => key !== keys.JourneyVersion), version],
    });
    return goesOn(...journeyArguments(this.next(taken)));
  }

  private async move(asked: RunMove): Promise<void> {
    // What came with the same workflow task is taken first: nothing that was sent to the run is lost.
    await CancellationScope.nonCancellable(settled);
    this.check(asked);
    const excess = excessOf(
      'What a fresh execution goes on with',
      jsonBytes(this.next(asked) as unknown as Json),
      payloadBytes,
    );
    if (excess) throw refusal(excess);
    this.taken = asked;
    this.run.movement.stop();
  }

  private next({ definition, config, callbacks }: RunMove): JourneyInput {
    const { carried, info, ...next } = this.handedOn();
    const handedOut = { ...info.callbacks, ...callbacks };
    return {
      ...next,
      definition,
      info: { ...info, config, ...((callbacks ?? info.callbacks) && { callbacks: handedOut }) },
      carried: {
        ...carried!,
        position: movedPosition(carried!.position, definition, Date.now()),
        moved: this.run.definition.version,
      },
    };
  }

  private check(asked: RunMove): void {
    const refused = this.owned() ?? this.busy() ?? this.unfit(asked);
    if (refused) throw refusal(refused);
  }

  /** Whoever started such a run decides by which version it goes on. */
  private owned(): Problem | undefined {
    const { info, bindings } = this.input;
    if (info.scheduled)
      return problem('MOVE_NOT_POSSIBLE', 'It is a run of a schedule.', {
        hint: 'Move the schedule: its next run is of the other version.',
      });
    if (info.handler || bindings || workflowInfo().parent)
      return problem('MOVE_NOT_POSSIBLE', 'It is part of another run, a job or a pipeline.', {
        hint: 'Whoever started it decides by which version it goes on.',
      });
    return undefined;
  }

  private busy(): Problem | undefined {
    const { run, inbox } = this;
    if (run.movement.quiescent && inbox.idle && !run.isDue(Date.now())) return undefined;
    return problem('MOVE_NOT_POSSIBLE', 'The run works on something.', {
      hint: 'Move it when it waits for a step or a timer.',
    });
  }

  private unfit({ definition }: RunMove): Problem | undefined {
    const found = misfit(this.run.definition, definition, this.run.position.root);
    if (!found) return undefined;
    const { why, pointer } = found;
    return problem('MOVE_NOT_POSSIBLE', `${definition.name} ${definition.version} does not fit: ${why}`, { pointer });
  }
}
