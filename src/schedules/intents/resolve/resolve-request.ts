import { isObject, type JsonObject, own } from '../../../base/json/value.js';
import { readCadence } from '../../cadence/cadence-json.js';
import { describeCadence } from '../../cadence/describe-cadence.js';
import { cadenceName, jobLabel } from '../derive-job-names.js';
import type { IntentContext, Invocation, KnownJob } from '../intent-types.js';
import { foreignTimeWords, isPronoun, namesOneOfItsDays, strayWords } from '../parse/find-by-name.js';
import type { Choice, JobCommand, ParsedRequest, Question } from '../parsed-request-types.js';
import { emptyWhen, type When } from '../time/time-expression.js';
import { askForCommand } from './ask-for-command.js';
import { momentText } from './local-time.js';
import { resolveSchedule } from './resolve-schedule.js';
import { resolveAction, resolveChannel, resolveJob } from './resolve-targets.js';
import { resolveUpdate } from './resolve-update.js';
import { mergeWhen } from './schedule-questions.js';

/** Outcome of a request: a call, a question, or nothing. */
export type RequestResolution = Invocation | { question: Question } | undefined;

/** Resolves names and times. Questions are asked in the order of the contract: job, action, place, recurrence, date, time, zone, bounds. */
export function resolveRequest(request: ParsedRequest, context: IntentContext): RequestResolution {
  switch (request.intent) {
    case 'none':
      return undefined;
    case 'list':
      if (request.unfiltered) return { question: whichList(request.state) };
      return {
        functionId: 'schedule.list',
        functionArgs: {
          orchestratorId: context.orchestratorId,
          ...(request.state !== undefined && { state: request.state }),
        },
      };
    case 'create':
      return resolveCreate(request, context);
    case 'update':
      return resolveUpdate(request, context);
    case 'several':
      return { question: oneAtATime(request, context) };
    case 'unsure':
      return { question: askForCommand(request, context, resolveRequest) };
    case 'bulk': {
      const choices = request.jobIds.map((jobId): Choice => {
        const job = context.jobs.find((it) => it.jobId === jobId);
        const label = job ? jobLabel(job, context.timezone) : jobId;
        return { label, value: jobId, next: { intent: request.verb, job: jobId, jobId } };
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
      const reads = request.intent === 'show' || request.intent === 'runs';
      const found = resolveJob(request, context, reads, (jobId) => ({ ...request, jobId }));
      if ('question' in found) return found;
      const call = { functionId: `schedule.${request.intent}`, functionArgs: { jobId: found.job.jobId } };
      // The job was chosen by an answer: what else was said about time is not dropped.
      const foreign = !reads && foreignTimeWords(request.job, found.job).length > 0;
      if (request.until === 'good') return { question: pauseOrDelete(request.job, found.job) };
      const stray = reads || request.jobId !== undefined || isPronoun(request.job) || request.until || foreign;
      const stops = request.intent === 'pause' || request.intent === 'delete';
      const partly = stops && namesOneOfItsDays(request.job, found.job);
      if (!stray && (partly || strayWords(request.job, found.job, context).length > 0))
        return { question: onlyWhole(request.intent, found.job, context) };
      return request.until || foreign ? { question: actsAtOnceOnly(request, found.job.jobId) } : call;
    }
  }
}

/** Question about "which jobs run on Fridays": the state is the only filter of a list. */
function whichList(said: string | undefined): Question {
  const choice = (state?: string): Choice => ({
    label: state === undefined ? 'all jobs' : `all ${state} jobs`,
    value: state ?? 'all',
    next: { intent: 'list', ...(state !== undefined && { state }) },
  });
  const states = said === undefined ? ['enabled', 'paused'] : [said];
  return {
    code: 'AMBIGUOUS_JOB',
    field: 'state',
    question: 'A list of jobs can only be limited to one state. Which of these?',
    choices: [...states.map(choice), choice()],
  };
}

/** Question about "pause it until Monday" and the like: commands act at once and have no end. */
function actsAtOnceOnly(request: Extract<ParsedRequest, { intent: JobCommand }>, jobId: string): Question {
  const { until, ...now } = request;
  const verb = request.intent;
  const choice = (intent: JobCommand, label: string): Choice => ({
    label,
    value: intent,
    next: { ...now, intent, job: jobId, jobId } as ParsedRequest,
  });
  if (until === 'run')
    return {
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: 'A single run of a job cannot be skipped. Which of these?',
      choices: [
        choice('pause', 'pause the job until it is resumed'),
        ...(verb === 'delete' ? [choice('delete', 'delete the job')] : []),
      ],
    };
  const limit = verb === 'run_now' ? 'run now, not later' : `${verb}d now: not later, and not for a limited time`;
  return {
    code: 'UNSUPPORTED_RECURRENCE',
    field: 'schedule',
    question: `A job can only be ${limit}. Which of these?`,
    choices: [choice(verb, `${verb.replace('_now', '')} it now`)],
  };
}

/** Question about "delete the history of job-5" and "run job-5 twice": commands are about a job as a whole. */
function onlyWhole(verb: JobCommand, job: KnownJob, context: IntentContext): Question {
  const next: ParsedRequest = { intent: verb, job: job.jobId, jobId: job.jobId };
  const label = `${verb.replace('_', ' ')} ${jobLabel(job, context.timezone)}`;
  return {
    code: 'AMBIGUOUS_JOB',
    field: 'jobId',
    question: 'I can only do that to a job as a whole, as it is. Which of these?',
    choices: [{ label, value: job.jobId, next }],
  };
}

/** Question about "stop it for good": a paused job can be resumed. */
function pauseOrDelete(said: string, { jobId }: KnownJob): Question {
  const choice = (intent: JobCommand, label: string): Choice => ({
    label,
    value: intent,
    next: { intent, job: said, jobId } as ParsedRequest,
  });
  return {
    code: 'AMBIGUOUS_JOB',
    field: 'intent',
    question: 'A paused job stays and can be resumed. Which of these?',
    choices: [choice('pause', 'pause it'), choice('delete', 'delete it')],
  };
}

function oneAtATime(
  { requests, doubt = 'I can do one thing at a time. Which one?' }: Extract<ParsedRequest, { intent: 'several' }>,
  context: IntentContext,
): Question {
  const parts = requests.map((next) => ({ next, call: resolveRequest(next, context) }));
  const choices = parts.flatMap(({ next, call }): Choice[] => {
    if (call && !('question' in call)) return [{ label: labelOf(call, context), value: { ...call }, next }];
    if (next.intent !== 'create' || next.action.kind !== 'run') return [];
    const label = `schedule ${next.action.workflowId}`;
    return [{ label, value: label, next }];
  });
  // Two calls that differ in their schedule only: "post "bye", daily 10:00".
  const sameLabel = choices.every(({ label }) => label === choices[0]!.label);
  for (const choice of sameLabel ? choices : []) {
    const args = own(choice.value, 'functionArgs');
    const schedule = own(args, 'schedule') ?? own(own(args, 'patch'), 'schedule');
    const type = own(args, 'scheduleType');
    const when = isObject(schedule) ? cadenceName({ ...(type && { type }), ...schedule }, context.timezone) : undefined;
    if (when !== undefined) choice.label += `, ${when}`;
  }
  const all = choices.length === requests.length ? { choices } : {};
  // "every Friday at 5pm" says which of "run now" and "schedule" is meant.
  const open = parts.find(({ next, call }) => next.intent === 'create' && call && 'question' in call)?.call;
  const parseAnswer = open && 'question' in open ? open.question.parseAnswer : undefined;
  return { code: 'MULTIPLE_TARGETS', field: 'intent', question: doubt, ...all, ...(parseAnswer && { parseAnswer }) };
}

function labelOf({ functionId, functionArgs }: Invocation, context: IntentContext): string {
  const job = context.jobs.find(({ jobId }) => jobId === functionArgs.jobId);
  const verb = functionId.slice('schedule.'.length).replace('_', ' ');
  if (isObject(functionArgs.targetAction)) return actionLabel(functionArgs.targetAction);
  return job ? `${verb} ${jobLabel(job, context.timezone)}` : verb;
}

/** Label of a new job's action: `run triage`, `post "hello"`. */
function actionLabel({ workflowId, functionId, inputs }: JsonObject): string {
  const text = own(inputs, 'text');
  if (text !== undefined) return `post "${text}"`;
  return workflowId === undefined ? `call ${functionId}` : `run ${workflowId}`;
}

function resolveCreate(
  request: Extract<ParsedRequest, { intent: 'create' }>,
  context: IntentContext,
): RequestResolution {
  const { action, when, where } = request;
  const withWhen = (it: When): ParsedRequest => ({ ...request, when: it });
  const resolved = resolveSchedule(when, context, withWhen);
  const rebuild = {
    action: (it: typeof action, place = {}, time = emptyWhen()): ParsedRequest => ({
      ...request,
      action: it,
      where: Object.keys(where).length > 0 ? where : place,
      when: mergeWhen(when, time),
    }),
    where: (it: typeof where): ParsedRequest => ({ ...request, where: it }),
  };
  const target = resolveAction(
    action,
    context,
    rebuild,
    'question' in resolved ? '' : scheduleText(resolved, when, context),
  );
  if ('question' in target) return target;
  const place = resolveChannel(where, action.kind === 'post', context, rebuild);
  if ('question' in place) return place;
  if ('question' in resolved) return resolved;
  return {
    functionId: 'schedule.create',
    functionArgs: {
      orchestratorId: context.orchestratorId,
      scheduleType: resolved.scheduleType,
      schedule: resolved.schedule,
      targetAction: target.value!,
      ...(place.value && { targetRef: place.value }),
    },
  };
}

/** Schedule as part of a question: ` at Tue 2026-11-17 09:00 America/Los_Angeles`, ` every Friday at 09:00 …`. */
function scheduleText(
  { scheduleType, schedule }: Exclude<ReturnType<typeof resolveSchedule>, { question: Question }>,
  when: When,
  context: IntentContext,
): string {
  const { cadence } = readCadence({ type: scheduleType, ...schedule }, { now: context.now, allowPast: true });
  if (!cadence) return '';
  if (cadence.kind !== 'once')
    return ` ${cadence.kind === 'every' ? describeCadence(cadence).replace(/ from .*/, '') : describeCadence(cadence)}`;
  const zone = when.zone && 'zone' in when.zone ? when.zone.zone : (context.timezone ?? 'UTC');
  return ` at ${momentText(zone, cadence.at)} ${zone}`;
}
