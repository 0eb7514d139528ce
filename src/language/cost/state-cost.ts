import type { State, Task } from '../../definition/definition.js';
import type { HttpCallTask } from '../../tasks/http-call/read.js';
import { safeMethods } from '../../tasks/http-call/request.js';
import { exactly, nothing, orElse, type Range } from './tally.js';

/** A workflow task: scheduled, started, completed. */
export const workflowTask = 3;

/** An ordinary activity is scheduled, started and completed, and wakes the run; a local one leaves a marker. */
const ordinary = exactly({ events: 3 + workflowTask, activities: 1 });
const local = exactly({ events: 1, localActivities: 1 });

/** A run that rests shows where: its search attributes change. */
const shown = 1;

/** What a state costs by itself. `passes`: safe calls may have to be ordinary activities, for headers that are passed on or branches beside. */
export function stateCost(state: State, passes: boolean): Range {
  switch (state.type) {
    case 'task':
      return taskCost(state.task, passes);
    case 'timer':
      return exactly({ events: 2 + shown + workflowTask, timers: 1 });
    case 'wait':
    case 'webhook':
      return stepCost(state.timeout !== undefined);
    default:
      return nothing;
  }
}

/** Submitted: an update that is accepted and completed, or a plain signal; or the timeout's timer fires. */
function stepCost(timed: boolean): Range {
  const timer = timed ? 2 : 0;
  const base = { steps: 1, timers: timed ? 1 : 0 };
  const submitted = exactly({ ...base, events: shown + workflowTask + 2 + timer });
  return orElse(submitted, exactly({ ...base, events: shown + workflowTask + (timed ? timer : 1) }));
}

function taskCost(it: Task, passes: boolean): Range {
  switch (it.kind) {
    case 'httpCall:v1': {
      const { method, run } = it as HttpCallTask;
      const call = (range: Range): Range => ({
        least: { ...range.least, calls: 1 },
        most: { ...range.most, calls: 1 },
      });
      if (run !== undefined) return call(run === 'local' ? local : ordinary);
      if (!safeMethods.has(method)) return call(ordinary);
      // A slow service takes a local call out of the run's way: then it costs both.
      return call(passes ? orElse(local, ordinary) : local);
    }
    case 'xmlDecode:v1':
      return nothing;
    case 'cache:v1':
      return (it as Task & { operation?: string }).operation === 'get' ? local : orElse(local, ordinary);
    case 'schedule:v1':
      return orElse(local, ordinary);
    case 'plugin':
      return (it as Task & { safe?: boolean }).safe ? local : ordinary;
    default:
      return ordinary;
  }
}

/** Whether a run comes to rest there, so that whoever waited for it is answered. */
export function rests(state: State): boolean {
  return state.type === 'timer' || state.type === 'wait' || state.type === 'webhook';
}
