import type { Effect } from '../../engine/host.js';
import type { StopSignal } from '../../engine/local-scope.js';
import { canonical, type Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { BindingRequest } from '../../scheduling/bindings/record.js';
import type { Effects } from './host.js';

/** The `schedule` effect in virtual time: remembers what was scheduled, and refuses what a real one would. Nothing starts from it. */
export class ScheduleEffects implements Effects {
  readonly made: BindingRequest[] = [];

  /** Everything that is no schedule goes on to `others`. */
  constructor(private readonly others: Effects) {}

  async perform(effect: Effect, stop: StopSignal): Promise<Json> {
    if (effect.name !== 'schedule') return await this.others.perform(effect, stop);
    const request = effect.input as BindingRequest;
    const same = this.made.findIndex((other) => identity(other) === identity(request));
    if (same >= 0 && request.onExisting === 'fail') refuse('SCHEDULE_ALREADY_EXISTS', 'The run has made it before.');
    if (same >= 0 && request.onExisting === 'upsert') this.made[same] = request;
    else this.made.push(request);
    return { scheduleId: `${request.journeyName}-${this.made.indexOf(request) + 1}` };
  }
}

function identity({ journeyName, journeyVersion, subjectId, startStateId }: BindingRequest): string {
  return canonical([journeyName, journeyVersion, subjectId, startStateId]);
}
