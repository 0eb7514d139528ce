import type { IntentContext } from '../intent-types.js';
import type { ParsedRequest } from '../parsed-request-types.js';
import { joinWords, longestSearch, normalize } from '../split-words.js';
import { withoutClosing, withoutCourtesy, withoutTypo } from '../strip-courtesy-and-typos.js';
import { extractCron } from '../time/cron-expressions.js';
import { hasSchedule } from '../time/time-expression.js';
import { isActionVerb, isFullName, readAction, readRun } from './action-phrases.js';
import { isPronoun, namesOneJob, nameWords, workflowNamed } from './find-by-name.js';
import { readJobChange } from './job-change-phrases.js';
import { jobCommands, readJobCommand, readList } from './job-command-phrases.js';
import { messageText, readMessage } from './message-phrases.js';
import { type Stripped, stripPhrases, unstripped, withoutArticles, withTail } from './strip-time-and-place.js';

const none: ParsedRequest = { intent: 'none' };

/** Parses an utterance into a request. */
export function parseRequest(
  spoken: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest {
  return parseSeveral(spoken, quotes, context) ?? parseSingle(spoken, quotes, context);
}

/** Maximum number of places where a second request is looked for; beyond that the words are text. */
const mostParts = 6;

/** Parses "pause this and delete that", where each part is a complete request. */
function parseSeveral(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  let tried = 0;
  for (let at = 1; at < words.length - 1 && tried < mostParts; at++) {
    const ends = /[.;!]$/.test(words[at - 1]!);
    const joins = /^(?:and|then|also|but|&|;)$/i.test(words[at]!);
    if (!ends && !joins) continue;
    let from = at;
    while (/^(?:and|then|also|but|&|;)$/i.test(words[from] ?? '')) from++;
    const second = words.slice(from);
    if (second.length < 2 || !(beginsIntent(withoutCourtesy(second)) || workflowFirst(second, context))) continue;
    tried++;
    const [left, right] = [parseSingle(words.slice(0, at), quotes, context), parseSingle(second, quotes, context)];
    if (isComplete(left) && isComplete(right)) return { intent: 'several', requests: [left, right] };
  }
  return undefined;
}

/** Whether a part is a complete request: it names a job, or an action and a time. */
function isComplete(request: ParsedRequest): boolean {
  if (request.intent === 'none' || request.intent === 'several') return false;
  return request.intent !== 'create' || (hasSchedule(request.when) && request.action.kind !== 'open');
}

/** "… and cleanup every day at 10am": the name of a workflow starts a request too. */
function workflowFirst(words: readonly string[], context: IntentContext): boolean {
  return context.workflows.some((id) => id.toLowerCase() === normalize(words.slice(0, 1)));
}

function beginsIntent(words: readonly string[]): boolean {
  return (
    isActionVerb(words) ||
    jobCommands.some(([pattern]) => pattern.test(normalize(words))) ||
    /^(?:schedule|set|create|add|list|move|change|reschedule|update|make)$/.test(normalize(words.slice(0, 1)))
  );
}

/** Whether any of the words is a command: "run cleanup at 10am", but not "cleanup at 10am". */
export function saysCommand(words: readonly string[]): boolean {
  return words.some((_, i) => beginsIntent(words.slice(i)));
}

function parseSingle(spoken: readonly string[], quotes: readonly string[], context: IntentContext): ParsedRequest {
  const words = inputsLast(withoutTypo(withoutClosing(withoutCourtesy(spoken))));
  if (words.length === 0) return none;
  const request =
    readReversed(words, quotes, context) ??
    readJobChange(words, quotes, context) ??
    readList(normalize(words)) ??
    readJobCommand(words, quotes, context, 'sure') ??
    readCreate(words, quotes, context) ??
    readAfterReason(words, quotes, context) ??
    readJobCommand(words, quotes, context, 'maybe') ??
    readLoosely(words, quotes, context) ??
    readAfterTime(words, quotes, context);
  if (request) return request;
  return /^also$/i.test(words[0]!) && words.length > 1 ? parseSingle(words.slice(1), quotes, context) : none;
}

const timeFirst =
  /^(?:in|at|on|by|from|after|before|during|around|starting|beginning|every|each|next|this|tomorrow|today|tonight|the|half|first|last|second|third|once|twice|\d+.*|\w+days?|\w+ly)$/;

/** Reads an action after words about time that are not understood: "each quarter's first Monday at 11am post hello". */
function readAfterTime(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  if (!timeFirst.test(normalize(words.slice(0, 1))) || words.some((word) => statement.test(normalize([word]))))
    return undefined;
  const verb = words.findIndex((_, i) => i > 0 && i < 12 && isActionVerb(words.slice(i, i + 1)));
  // "the uptime ping is down" is about a job.
  if (verb < 0 || namesOneJob(joinWords(words.slice(0, verb + 1), quotes, false), context)) return undefined;
  const action = readAction(unstripped(words.slice(verb)), context, quotes);
  if (!action || /^(?:open|unknown)$/.test(action.action.kind)) return undefined;
  const { when, where } = withTail({ ...action, words: [] }, words.slice(0, verb), quotes, context);
  return { intent: 'create', action: action.action, when, where };
}

/** A remark that makes the command conditional, forbids something, or asks. */
const conditional =
  /^(?:don't|do not|dont|never|not)\b|\b(?:if|when|whenever|unless|until|till|once|after|before|while|as soon as|in case|should|who|what|why|said|says|told)\b/;

/** Reads "the uptime ping is too chatty, pause it": a remark that names one job in full, and a command for it. */
function readAfterReason(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const at = words.findIndex((word, i) => i > 1 && i < longestSearch && /[,;.!]$|^(?:[-–]|so)$/i.test(word)) + 1;
  const remark = words.slice(0, at);
  const command = withoutCourtesy(words.slice(at).filter((word, i) => i > 0 || !/^(?:so|and|then)$/i.test(word)));
  if (at === 0 || command.length < 2 || conditional.test(normalize(remark)) || beginsIntent(remark)) return undefined;
  if (!beginsIntent(command)) return undefined;
  const said = ` ${nameWords(joinWords(remark, quotes, false)).join(' ')} `;
  const named = context.jobs.filter(
    ({ name, state }) => state !== 'deleted' && said.includes(` ${nameWords(name).join(' ')} `),
  );
  const it = command.findIndex((word, i) => i > 0 && isPronoun(normalize([word])));
  const [job, ...others] = named;
  if (!job || others.length > 0 || it < 0) return undefined;
  const request = parseSingle([...command.slice(0, it), job.jobId, ...command.slice(it + 1)], quotes, context);
  return 'job' in request && request.job === job.jobId ? request : undefined;
}

const reversed: Record<string, string> = {
  off: 'pause',
  on: 'resume',
  pause: 'pause',
  stop: 'stop',
  resume: 'resume',
  delete: 'delete',
  cancel: 'cancel',
};

/** Reads a command after the name of its job: "weekly report: pause", "standup reminder off". */
function readReversed(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const verb = reversed[normalize(words.slice(-1))];
  const job = words.slice(0, -1);
  const name = joinWords(job, quotes, false).replace(/[:,;]$/, '');
  const fromNow = /\bfrom (?:now|here) on$/.test(normalize(words));
  if (verb === undefined || fromNow || beginsIntent(words) || !namesOneJob(name, context)) return undefined;
  return readJobCommand([verb, ...job], quotes, context, 'sure');
}

/** "with region=EU run invoicing …": inputs at the beginning are moved to the end. */
function inputsLast(words: readonly string[]): string[] {
  const verb = words.findIndex((_, i) => i > 1 && isActionVerb(words.slice(i, i + 1)));
  const inputs = words.slice(0, verb);
  return verb > 1 && /^(?:with|using)$/i.test(words[0]!) && inputs.some((word) => /^[\w-]+[=:]/.test(word))
    ? [...words.slice(verb), ...inputs]
    : [...words];
}

/** Words without meaning of their own around the name of a workflow. */
const noise =
  /^(?:a|an|the|my|our|this|that|it|i|we|us|you|to|of|for|be|is|should|would|could|can|will|shall|must|have|has|get|want|wants|need|needs|needed|like|please|just|so|make|do|let|go|going|set|put|sure|workflow|journey|job|task|run|runs|running|start|starts|started|starting|execute|executes|executed|launch|happen|happens|kick|off|happening|uh|um|and|then|thing|also|always|automatically|basis|time|times|up|out)$/;
const runsSomething =
  /^(?:run|runs|running|start|starts|started|execute|executed|launch|happen|happens|schedule|scheduled|kick|kicked|trigger)$/;
const statement = /^(?:was|were|ran|had|did|went|already|remember|because|since|last|yesterday|great)$/;
const questionOrNo =
  /^(?:should|shall|may|might|what|why|when|who|how|is|does|did|has|was|were|are|which|where|if|don't|not|never|no|stop|without|cannot|can't|won't|wasn't|didn't|isn't)$/;

/**
 * Reads a request by its parts: the full name of one workflow, time phrases, and words of no meaning in any order. Words that are left
 * over are asked about.
 */
function readLoosely(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const bare = words.map((word) => normalize([word]));
  if (words.length > longestSearch) return undefined;
  // "we run triage every Monday" and "triage ran at 9am" are statements.
  if (/^(?:we|i|they|he|she|you)$/.test(bare[0] ?? '') || bare.some((word) => statement.test(word))) return undefined;
  if (questionOrNo.test(bare[0] ?? '') || bare.some((word) => /^(?:don't|not|never|without)$/.test(word)))
    return undefined;
  const [at, size] = workflowAt(words, context) ?? [];
  if (at === undefined) return undefined;
  const name = workflowNamed(normalize(words.slice(at, at + size!)), context)!;
  const first = withoutNoise(unstripped(words.slice(0, at)), context);
  const rest = withoutNoise({ ...first, words: words.slice(at + size!) }, context);
  const verb = bare.some((word) => runsSomething.test(word));
  if (!hasSchedule(rest.when) || first.words.length > (verb ? 2 : 0)) return undefined;
  const unclear = joinWords([...first.words, ...rest.words], quotes);
  const when = unclear === '' ? rest.when : { ...rest.when, unclear };
  return { intent: 'create', action: { kind: 'run', workflowId: name }, when, where: rest.where };
}

/** Position and length of the only workflow that the words name in full. */
export function workflowAt(words: readonly string[], context: IntentContext): [number, number] | undefined {
  const found: [number, number][] = [];
  for (let at = 0; at < words.length; at++)
    for (const size of [3, 2, 1])
      if (at + size <= words.length && isFullName(words.slice(at, at + size), context)) {
        found.push([at, size]);
        at += size - 1;
        break;
      }
  return found.length === 1 ? found[0] : undefined;
}

/** Strips phrases and words without meaning from both ends. */
function withoutNoise(from: Stripped, context: IntentContext): Stripped {
  let state = from;
  for (;;) {
    const next = stripPhrases(stripPhrases(state, 'end', context), 'start', context);
    const [head = '', last = ''] = [next.words[0], next.words.at(-1)].map((word) => normalize([word ?? '']));
    const words =
      next.words.length > 0 && (noise.test(head) || head === '')
        ? next.words.slice(1)
        : next.words.length > 0 && (noise.test(last) || last === '')
          ? next.words.slice(0, -1)
          : next.words;
    if (words.length === state.words.length) return next;
    state = { ...next, words };
  }
}

const createVerbs =
  /^(?:schedule|set up|setup|set|create|add|make|book|plan|arrange|program|automate|queue(?: up)?|start|configure|define|have|put)$/;

function readCreate(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const cron = extractCron(words, quotes);
  const fresh = unstripped(cron?.words ?? words);
  const from: Stripped = cron ? { ...fresh, when: { ...fresh.when, cron: cron.cron } } : fresh;
  const early = stripPhrases(from, 'start', context);
  const start: Stripped = { ...early, words: withoutCourtesy(early.words) };
  const requested = readAction(start, context, quotes);
  if (requested) {
    const { action, when, where, reminds } = requested;
    // "run weekly report", "run the weekly report tomorrow": a job, not a workflow.
    if (action.kind === 'unknown' && namesJob(start, context, quotes)) return undefined;
    const someTime = when.part !== undefined && /^(?:run|call|post)$/.test(action.kind);
    // "run triage with name=Ada": the time is asked for.
    const given = action.kind === 'run' && action.inputs !== undefined;
    if (!hasSchedule(when) && !someTime && !reminds && !given) return undefined;
    // What a new job should replace is not said.
    const instead = requested.instead && words.some((word) => normalize([word]) === 'instead');
    return { intent: 'create', action, when: instead ? { unclear: 'instead', ...when } : when, where };
  }
  return (
    readTextAfterColon(early, quotes) ??
    readCreateVerb(start, context, quotes) ??
    readWorkflowAndTime(start, context, quotes)
  );
}

/** Reads "every Thursday 4pm in #finance: timesheets due": a time, a place and a colon are followed by a text to post. */
function readTextAfterColon(
  { words, when, where, closed }: Stripped,
  quotes: readonly string[],
): ParsedRequest | undefined {
  const placed = where.channels !== undefined || where.here || where.thread;
  if (!closed || !placed || !hasSchedule(when) || words.length === 0) return undefined;
  return { intent: 'create', action: { kind: 'post', text: messageText(words, quotes) }, when, where };
}

/** Whether the words after the verb name a job, with or without a time after it. */
function namesJob(from: Stripped, context: IntentContext, quotes: readonly string[]): boolean {
  const late = stripPhrases(from, 'end', context);
  return [from.words, late.words].some((words) => namesOneJob(joinWords(words.slice(1), quotes, false), context));
}

/** Reads "db-backup nightly at 2am": the full name of a workflow and a time, without a verb. */
function readWorkflowAndTime(
  from: Stripped,
  context: IntentContext,
  quotes: readonly string[],
): ParsedRequest | undefined {
  const { words, when, where } = stripPhrases({ ...from, words: withoutLink(from.words) }, 'end', context);
  const name = joinWords(words, quotes, false)
    .toLowerCase()
    .replace(/^(?:for )?(?:(?:the|our|my) )?/, '');
  const workflowId = context.workflows.find((id) => id.toLowerCase() === name);
  if (workflowId === undefined || !hasSchedule(when)) return undefined;
  return { intent: 'create', action: { kind: 'run', workflowId }, when, where };
}

/** Reads "schedule …", "set up a job that …", "create a weekly reminder …". */
function readCreateVerb(from: Stripped, context: IntentContext, quotes: readonly string[]): ParsedRequest | undefined {
  const count = createVerbs.test(normalize(from.words.slice(0, 2))) ? 2 : 1;
  const verb = normalize(from.words.slice(0, count));
  // "schedule looks good" is about a schedule.
  const noun =
    verb === 'schedule' && /^(?:looks|is|was|seems|sounds|works|has|says)$/.test(normalize(from.words.slice(1, 2)));
  if (!createVerbs.test(verb) || noun) return undefined;
  const whole = from.words.slice(count);
  const sure = verb === 'schedule' || verb === 'automate';
  const direct = readRun({ ...withoutArticles({ ...from, words: withoutLink(whole) }) }, context, quotes);
  const message = readMessage({ ...from, words: whole }, context, quotes);
  if (message) return { intent: 'create', ...actionTimeAndPlace(message) };
  if (/^(?:run|call|several)$/.test(direct.action.kind) && (sure || hasSchedule(direct.when)))
    return { intent: 'create', ...actionTimeAndPlace(direct) };
  // "set up something for Mondays": what should happen is asked.
  if (
    direct.action.kind === 'open' &&
    hasSchedule(direct.when) &&
    /^(?:something|anything|a thing)\b/.test(normalize(whole))
  )
    return { intent: 'create', ...actionTimeAndPlace(direct) };
  const state = stripPhrases(withoutArticles({ ...from, words: whole }), 'start', context);
  const job =
    /^(?:(?:cron |recurring |scheduled |repeating )?(?:job|schedule|task|automation|run|workflow|cron|timer|trigger))$/;
  for (const size of [2, 1]) {
    if (!job.test(normalize(state.words.slice(0, size)))) continue;
    const rest = stripPhrases({ ...state, words: state.words.slice(size) }, 'start', context);
    const inner = stripPhrases(
      {
        ...rest,
        words: rest.words.filter((word, i) => i > 0 || !/^(?:that|which|to|of|for|where|called)$/i.test(word)),
      },
      'start',
      context,
    );
    const requested = readAction(inner, context, quotes);
    return { intent: 'create', ...actionTimeAndPlace(requested ?? readRun(inner, context, quotes)) };
  }
  if (!sure) return undefined;
  const requested = readAction({ ...from, words: withoutLink(whole) }, context, quotes);
  return { intent: 'create', ...actionTimeAndPlace(requested ?? direct) };
}

function actionTimeAndPlace({
  action,
  when,
  where,
}: Pick<Extract<ParsedRequest, { intent: 'create' }>, 'action' | 'when' | 'where'>) {
  return { action, when, where };
}

/** Removes the link in "triage to run every hour". */
function withoutLink(words: readonly string[]): string[] {
  const at = words.findIndex(
    (_, i) =>
      i > 0 &&
      /^(?:to|so it|should|must) (?:run|runs|go|happen|start|execute|fire)$|^(?:to|should|must) be$/.test(
        normalize(words.slice(i, i + 2)),
      ),
  );
  if (at < 0) return [...words];
  const passive = /^(?:to|should|must) be (?:run|started|executed|done|launched)$/.test(
    normalize(words.slice(at, at + 3)),
  );
  return [...words.slice(0, at), ...words.slice(at + (passive ? 3 : 2))];
}
