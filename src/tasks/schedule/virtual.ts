import { canonical } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { BindingRequest } from '../../scheduling/bindings/record.js';
import type { VirtualEffect } from '../virtual.js';

/** The effect `schedule` of one run: remembers what it made, and refuses what a real one would. Nothing starts from it. */
export function schedule(made: BindingRequest[] = []): VirtualEffect {
  return async (input) => {
    const request = input as BindingRequest;
    const same = made.findIndex((other) => identity(other) === identity(request));
    if (same >= 0 && request.onExisting === 'fail') refuse('SCHEDULE_ALREADY_EXISTS', 'The run has made it before.');
    if (same >= 0 && request.onExisting === 'upsert') made[same] = request;
    else made.push(request);
    return { scheduleId: `${request.journeyName}-${made.indexOf(request) + 1}` };
  };
}

function identity({ journeyName, journeyVersion, subjectId, startStateId }: BindingRequest): string {
  return canonical([journeyName, journeyVersion, subjectId, startStateId]);
}
