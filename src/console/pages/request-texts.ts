import { isObject, type JsonObject, own } from '../../base/json/value.js';
import type { IntentAnswer } from '../api/job-types.js';
import type { ProblemBody } from '../api/problem-types.js';
import { readersZone, timeInZones } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';

const inputs = '/targetAction/inputs/';

/** The problem of a request in plain English; missing inputs as one sentence that names them. */
export function requestProblem(problem: ProblemBody): ProblemBody {
  const missing = (problem.errors ?? []).flatMap(({ pointer, message }) =>
    message === 'is required' && pointer.startsWith(inputs) ? [pointer.slice(inputs.length)] : [],
  );
  if (missing.length === 0 || missing.length < problem.errors!.length) return problem;
  const { errors: _, hint: __, ...rest } = problem;
  return { ...rest, detail: messages.jobs.missingInputs(missing) };
}

/** The journey or function of a proposed command, with its inputs, as a sentence; undefined for a command that does not change that. */
export function proposedAction({ functionArgs }: JsonObject): string | undefined {
  const action = own(functionArgs, 'targetAction') ?? own(own(functionArgs, 'patch'), 'targetAction');
  if (!isObject(action)) return undefined;
  const { workflowId, functionId } = action;
  const given = (workflowId === undefined ? action.functionArgs : action.inputs) ?? {};
  const named = Object.entries(given).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return typeof workflowId === 'string'
    ? messages.jobs.runsJourney(workflowId, named)
    : messages.jobs.callsFunction(String(functionId), named);
}

/** The zone of an answer's times: that of its cadence, or the one that was said, because a single time is converted to UTC. */
export function zoneOf({ invocation, result }: IntentAnswer, draft: JsonObject | undefined): string | undefined {
  const args = own(invocation, 'functionArgs');
  const schedule = own(args, 'schedule') ?? own(own(args, 'patch'), 'schedule') ?? own(result, 'schedule');
  const zone = own(schedule, 'timezone');
  if (typeof zone === 'string') return zone;
  const state = own(draft, 'state');
  const answers = own(state, 'answers');
  const said = [own(state, 'utterance'), ...(Array.isArray(answers) ? answers : [])];
  return zoneSaid(said.map((it) => ` ${typeof it === 'string' ? it : ''} `).join(' in '));
}

/** The zone that is named by its id, or by its city after a time or `in`: `9am Berlin`, `tomorrow in New York`. */
function zoneSaid(text: string): string | undefined {
  const named = (name: string) => {
    const pattern = name.includes('/')
      ? name
      : `(?:\\d|[ap]\\.?m\\.?|noon|midnight|o'clock|in),? +${name.replaceAll('_', ' ')}`;
    return new RegExp(`${pattern}(?![\\w/])`, 'i').test(text);
  };
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  return zones.find(named) ?? zones.find((zone) => named(zone.split('/').at(-1)!));
}

const instants = /\b(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d+)?)Z| (\d\d:\d\d(?::\d\d)?) UTC)/g;

/** A text with its instants in a zone and the reader's. */
export function withReadableTimes(text: string, zone = readersZone()): string {
  return text.replace(instants, (_, day, time, minute) => timeInZones(`${day}T${time ?? minute}Z`, zone));
}
