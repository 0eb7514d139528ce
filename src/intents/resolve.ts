import { isObject, type JsonObject, own } from '../json/value.js';
import { describe } from '../scheduling/cadence/describe.js';
import { readCadence } from '../scheduling/cadence/wire.js';
import type { Choice, Frame, JobVerb, Question } from './frame.js';
import { findJob } from './jobs.js';
import { momentText } from './local-time.js';
import { settle } from './settle.js';
import { targetAction, targetRef } from './targets.js';
import type { IntentContext, Invocation } from './types.js';
import { resolveUpdate } from './update.js';
import { nothingSaid, type When } from './when.js';

/** What a frame comes to: a call, a question, or nothing. */
export type Resolved = Invocation | { question: Question } | undefined;

/** Looks everything up and settles times; asks in the order of the contract: job, action, place, recurrence, date, time, zone, bounds. */
export function resolve(frame: Frame, context: IntentContext): Resolved {
  switch (frame.intent) {
    case 'none':
      return undefined;
    case 'list':
      return {
        functionId: 'schedule.list',
        functionArgs: {
          orchestratorId: context.orchestratorId,
          ...(frame.state !== undefined && { state: frame.state }),
        },
      };
    case 'create':
      return resolveCreate(frame, context);
    case 'update':
      return resolveUpdate(frame, context);
    case 'several':
      return { question: oneAtATime(frame.frames, context) };
    case 'bulk': {
      const choices = frame.jobIds.map((jobId): Choice => {
        const name = context.jobs.find((job) => job.jobId === jobId)?.name;
        return { label: name || jobId, value: jobId, leads: { intent: frame.verb, job: jobId, jobId } };
      });
      return {
        question: {
          code: 'MULTIPLE_TARGETS',
          field: 'jobId',
          question: 'I can do that to one job at a time. Which one?',
          ...(choices.length > 0 && { choices }),
        },
      };
    }
    default: {
      const found = findJob(frame, context, frame.intent === 'show', (jobId) => ({ ...frame, jobId }));
      if ('question' in found) return found;
      const call = { functionId: `schedule.${frame.intent}`, functionArgs: { jobId: found.job.jobId } };
      return frame.until ? { question: noEnd(frame, found.job.jobId) } : call;
    }
  }
}

/** Pausing has no end, and nothing pauses or deletes later by itself. */
function noEnd(frame: Extract<Frame, { intent: JobVerb }>, jobId: string): Question {
  const { until: _, ...now } = frame;
  const verb = frame.intent;
  const done = verb === 'run_now' ? 'run at once, not later' : `${verb}d at once, not for a while and not later`;
  return {
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: `A job is ${done}. Which of these?`,
    choices: [{ label: `${verb.replace('_now', '')} it now`, value: verb, leads: { ...now, jobId } as Frame }],
  };
}

function oneAtATime(frames: readonly Frame[], context: IntentContext): Question {
  const parts = frames.map((leads) => ({ leads, call: resolve(leads, context) }));
  const choices = parts.flatMap(({ leads, call }): Choice[] =>
    call && !('question' in call) ? [{ label: labelOf(call, context), value: { ...call }, leads }] : [],
  );
  const all = choices.length === frames.length ? { choices } : {};
  return { code: 'MULTIPLE_TARGETS', field: 'intent', question: 'I can do one thing at a time. Which one?', ...all };
}

function labelOf({ functionId, functionArgs }: Invocation, context: IntentContext): string {
  const job = context.jobs.find(({ jobId }) => jobId === functionArgs.jobId);
  const verb = functionId.slice('schedule.'.length).replace('_', ' ');
  if (isObject(functionArgs.targetAction)) return madeLabel(functionArgs.targetAction);
  return job ? `${verb} ${job.name || job.jobId}` : verb;
}

/** `run triage`, `post "hello"`: what a new job would do. */
function madeLabel({ workflowId, functionId, inputs }: JsonObject): string {
  const text = own(inputs, 'text');
  if (text !== undefined) return `post "${text}"`;
  return workflowId === undefined ? `call ${functionId}` : `run ${workflowId}`;
}

function resolveCreate(frame: Extract<Frame, { intent: 'create' }>, context: IntentContext): Resolved {
  const { action, when, where } = frame;
  const withWhen = (it: When): Frame => ({ ...frame, when: it });
  const settled = settle(when, context, withWhen);
  const rebuild = {
    action: (it: typeof action, place = {}, time = nothingSaid()): Frame => ({
      ...frame,
      action: it,
      where: Object.keys(where).length > 0 ? where : place,
      when: { ...time, ...when, recurrence: { ...time.recurrence, ...when.recurrence } },
    }),
    where: (it: typeof where): Frame => ({ ...frame, where: it }),
  };
  const target = targetAction(action, context, rebuild, 'question' in settled ? '' : momentOf(settled, when, context));
  if ('question' in target) return target;
  const place = targetRef(where, action.kind === 'post', context, rebuild);
  if ('question' in place) return place;
  if ('question' in settled) return settled;
  return {
    functionId: 'schedule.create',
    functionArgs: {
      orchestratorId: context.orchestratorId,
      scheduleType: settled.scheduleType,
      schedule: settled.schedule,
      targetAction: target.value!,
      ...(place.value && { targetRef: place.value }),
    },
  };
}

/** ` at Tue 2026-11-17 09:00 America/Los_Angeles`, ` every Friday at 09:00 …`: when something should happen, for a question. */
function momentOf(
  { scheduleType, schedule }: Exclude<ReturnType<typeof settle>, { question: Question }>,
  when: When,
  context: IntentContext,
): string {
  const { cadence } = readCadence({ type: scheduleType, ...schedule }, { now: context.now, allowPast: true });
  if (!cadence) return '';
  if (cadence.kind !== 'once')
    return ` ${cadence.kind === 'every' ? describe(cadence).replace(/ from .*/, '') : describe(cadence)}`;
  const zone = when.zone && 'zone' in when.zone ? when.zone.zone : (context.timezone ?? 'UTC');
  return ` at ${momentText(zone, cadence.at)} ${zone}`;
}
