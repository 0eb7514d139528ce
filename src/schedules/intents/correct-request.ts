import type { IntentContext } from './intent-types.js';
import { isPronoun, jobsNamed, workflowNamed } from './parse/find-by-name.js';
import { placeNamed } from './parse/strip-time-and-place.js';
import { parseUtterance } from './parse-utterance.js';
import type { ParsedRequest } from './parsed-request-types.js';
import { addWhen, mergeWhen, readAnswer } from './resolve/schedule-questions.js';
import { weekdayField, weekdaysOf } from './time/calendar-recurrence-phrases.js';
import { emptyWhen, type When } from './time/time-expression.js';

/** Whether a correction adds something: "and Tuesday", "cleanup too". */
export function addsMore(answer: string): boolean {
  return /^(?:and|also|plus)\b(?! (?:make|change|move|set) (?:it|that)\b)|\b(?:too|as well)[.!]*$/i.test(answer.trim());
}

/** Changes a time expression by the words of a correction, which may add times or days. */
function correctWhen(before: When, answer: string, words: string): When | undefined {
  // After "in 20 minutes", "30 minutes" is no interval.
  const later = before.delay === undefined ? undefined : readAnswer(`in ${words}`, emptyWhen());
  if (later?.delay !== undefined) return addsMore(answer) ? { ...later, other: before } : mergeWhen(before, later);
  const said = readAnswer(words, emptyWhen());
  if (said && addsMore(answer))
    return Object.keys(said.recurrence).join() === 'months' ? undefined : addWhen(before, said);
  // "this Monday" is a single day, also after "every Monday".
  if (said?.date && /^(?:on )?(?:this|the coming|coming)\b/i.test(words))
    return mergeWhen({ ...before, recurrence: {} }, said);
  return readAnswer(words, before) ?? (said && mergeWhen(before, said));
}

/** Weekdays in a correction, as a cron field; undefined if it contains anything else. */
function readDays(words: string): string | undefined {
  const { date, recurrence, ...rest } = readAnswer(words, emptyWhen()) ?? { recurrence: {} };
  if (Object.keys(rest).length > 0) return undefined;
  if (date?.kind === 'weekday' && date.weeks === 0) return String(date.weekday);
  return Object.keys(recurrence).join() === 'weekdays' ? recurrence.weekdays : undefined;
}

/** Corrects a complete request: "no, Sunday", "in #ops", "the digest". */
export function correct(
  request: ParsedRequest,
  answer: string,
  words: string,
  context: IntentContext,
): ParsedRequest | undefined {
  const where = placeNamed(words, context.channels);
  const more = addsMore(answer);
  switch (request.intent) {
    case 'create': {
      const when = correctWhen(request.when, answer, words);
      if (when) return { ...request, when };
      // One job posts to one channel and runs one thing: what is added is asked about.
      if (where && more) {
        const channels = [...(request.where.channels ?? []), ...(where.channels ?? [])];
        return channels.length > 1 ? { ...request, where: { channels } } : undefined;
      }
      if (where) return { ...request, where };
      const workflowId = workflowNamed(words, context);
      if (workflowId === undefined || request.action.kind !== 'run') return undefined;
      const { inputs, workflowId: first } = request.action;
      return more
        ? { ...request, action: { kind: 'several', workflows: [first, workflowId], ...(inputs && { inputs }) } }
        : { ...request, action: { ...request.action, workflowId } };
    }
    case 'update': {
      const { patch } = request;
      const { date, recurrence, times } = patch.when;
      const keepsDays = !date && Object.keys(recurrence).length === 0 && patch.shift === undefined;
      const weekdays = patch.days || (more && keepsDays) ? readDays(words) : undefined;
      if (weekdays !== undefined) {
        const key = patch.days && patch.days.add === undefined ? 'remove' : 'add';
        const before = more ? weekdaysOf(patch.days?.[key] ?? weekdays) : [];
        const days = { ...patch.days, [key]: weekdayField([...before, ...weekdaysOf(weekdays)]) };
        const added: ParsedRequest = { ...request, patch: { ...patch, days } };
        if (patch.days || /\b(?:also|too|as well|plus)\b/i.test(answer)) return added;
        // "and Thursday" after "move it to 6pm" can add a day or replace them all.
        const replaced: ParsedRequest = {
          ...request,
          patch: { ...patch, when: { ...patch.when, recurrence: { weekdays } } },
        };
        return { intent: 'several', requests: [added, replaced], doubt: 'Also on that day, or only then?' };
      }
      const said = readAnswer(words, emptyWhen());
      if (patch.shift !== undefined) {
        // "two hours" after "an hour later"; other days would not be later.
        const shift = readAnswer(`in ${words}`, emptyWhen())?.delay;
        if (shift !== undefined) return { ...request, patch: { ...patch, shift: Math.sign(patch.shift) * shift } };
        if (said && (more || !said.times)) return undefined;
      }
      // "and Friday at 6pm" is a second schedule.
      if (more && !times && said?.times && (said.date || Object.keys(said.recurrence).length > 0)) return undefined;
      const when = correctWhen(patch.when, answer, words);
      // "no, at 2pm" after "from Monday to Friday at 1pm": the days stay exchanged.
      const { days } = when && Object.keys(when.recurrence).length === 0 && !when.date ? patch : {};
      if (when) return { ...request, patch: { ...patch, when, days, shift: undefined, from: undefined } };
      if (where) return { ...request, patch: { ...patch, where } };
      // "I meant the weekly report": the change stays.
      const { jobId: _, ...rest } = request;
      return more || jobsNamed(words, context).length === 0 ? undefined : { ...rest, job: words };
    }
    case 'pause':
    case 'resume':
    case 'delete':
    case 'run_now':
    case 'show':
    case 'runs': {
      // "no, delete it": another command for the same job.
      const other = parseUtterance(words, context);
      if (other && 'job' in other && other.intent !== 'update' && isPronoun(other.job))
        return { ...other, job: request.job, ...(request.jobId !== undefined && { jobId: request.jobId }) };
      const { jobId, ...rest } = request;
      const named = jobsNamed(words, context);
      if (named.length === 0 || !more) return named.length === 0 ? undefined : { ...rest, job: words };
      const both = [...jobsNamed(jobId ?? request.job, context), ...named].map((it) => it.jobId);
      return { intent: 'bulk', verb: request.intent, jobIds: [...new Set(both)] };
    }
    default:
      return undefined;
  }
}
