import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import { answerDraft, intentOf, scheduleOf, say as understand } from '../../schedules/intents/conversation.js';
import { actionText, fullJobLabel, withName } from '../../schedules/intents/derive-job-names.js';
import type { Clarify, IntentContext, Invocation, KnownJob } from '../../schedules/intents/intent-types.js';
import { remarks, summarizeCall } from '../../schedules/intents/summarize-call.js';
import type { CreatedBy } from '../../schedules/jobs/job-record.js';

import type { Channels } from '../channel-interface.js';
import type { JobRun, JobSummary, Jobs, NamedJob } from '../jobs-interface.js';

import type { Library } from '../library-interface.js';
import { type ChannelProfile, grants, type Orchestrators } from '../orchestrators.js';
import { objectSchema, stringField } from './function-parameter-schemas.js';
import type { Caller, Functions, ServiceFunction } from './function-registry.js';

/** Dependencies of `schedule.say`. */
export interface SayDeps {
  readonly functions: Functions;
  readonly orchestrators: Orchestrators;
  readonly library: Library;
  readonly jobs: Pick<Jobs, 'named'>;
  readonly channels: Channels;
  readonly now: () => number;
}

/** The answer of `schedule.say`. The whole state of a conversation is in its draft. */
export interface SayResult {
  /** Text for the user. */
  readonly text: string;
  /** To be sent back with the answer; absent if no answer is expected. */
  readonly draft?: JsonObject;
  readonly clarify?: JsonObject;
  /** The resulting call. */
  readonly invocation?: Invocation;
  readonly nextRuns?: readonly string[];
  /** The result of the call, once made. */
  readonly result?: unknown;
}

/** The person who asked first; another one may answer. */
type Asker = Pick<CreatedBy, 'senderId' | 'sender' | 'requestMessageId'>;

/** A draft: the parser's question, or a call that waits for confirmation. */
type Draft = { readonly asker?: Asker } & (
  | { readonly kind: 'question'; readonly state: JsonObject }
  | { readonly kind: 'proposal'; readonly invocation: Invocation; readonly key: string; readonly state?: JsonObject }
);

/** The id of the function for plain English. */
export const sayFunctionId = 'schedule.say';

/** The text to interpret; an input that is not a text is read as JSON. */
function wordsOf(answer: Json): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

/** Read-only functions need no confirmation. */
const reading = new Set(['schedule.list', 'schedule.show', 'schedule.runs']);

/** `schedule.say`: interprets an utterance and answers with a question, a proposal, or the result. */
export function sayFunction(deps: SayDeps): ServiceFunction {
  const { functions, orchestrators } = deps;

  async function say(args: JsonObject, caller: Caller): Promise<SayResult> {
    const profile = profileOf(args, caller);
    const draft = await draftOf(args, profile);
    const answer = args.answer ?? args.utterance ?? '';
    const asker = askerOf(draft, caller);
    if (draft?.kind === 'proposal') {
      if (args.act === true || isYes(answer)) return await act(draft.invocation, caller, draft.key, asker.asker);
      if (isNo(answer)) return { text: fixedReplies.left };
    }
    const context = await contextOf(deps, { ...args, draft: (draft ?? null) as Json }, caller, profile);
    // An answer to a proposal that is neither yes nor no corrects it: "no, Sunday".
    const { result, ...more } = draft?.state
      ? answerDraft(draft.state, answer, context)
      : understand(wordsOf(answer), context);
    if ('none' in result) {
      if (draft?.kind !== 'proposal' || result.reason === 'DISMISSED') return { text: noneText(result.reason) };
      return { text: fixedReplies.yesOrNo, draft: draft as unknown as JsonObject };
    }
    if ('clarify' in result) {
      const { clarify } = result;
      const asked = { kind: 'question', state: (more.draft ?? {}) as unknown as JsonObject, ...asker };
      return { text: questionText(clarify, context), draft: asked, clarify: clarify as unknown as JsonObject };
    }
    const state = more.draft as unknown as JsonObject | undefined;
    return await propose(withName(result, context), caller, args.act === true, context, {
      ...asker,
      ...(state && { state }),
    });
  }

  async function propose(
    invocation: Invocation,
    caller: Caller,
    told: boolean,
    context: IntentContext,
    more: JsonObject,
  ): Promise<SayResult> {
    functions.check(invocation.functionId, invocation.functionArgs, caller.orchestrator, caller.functions);
    if (told || reading.has(invocation.functionId)) return await act(invocation, caller, caller.requestId);
    const { words, nextRuns } = proposalText(invocation, context);
    const call = invocation as unknown as Json;
    const draft = { kind: 'proposal', invocation: call, key: caller.requestId, ...more };
    return { text: words, draft, invocation, nextRuns };
  }

  /** Uses the idempotency key of the proposal, so that confirming twice has one effect. */
  async function act(invocation: Invocation, caller: Caller, key: string, asker?: Asker): Promise<SayResult> {
    const { functionId, functionArgs } = invocation;
    const result = await functions.invoke(functionId, functionArgs, {
      ...caller,
      // A job belongs to the person who requested it, even if somebody else confirmed it.
      ...(functionId === 'schedule.create' && { by: { ...caller.by, ...asker } }),
      requestId: key,
    });
    return { text: doneText(functionId, result), invocation, result };
  }

  function profileOf({ channelProfileId }: JsonObject, { orchestrator }: Caller): ChannelProfile | undefined {
    if (typeof channelProfileId !== 'string') return undefined;
    const profile = orchestrators.profile(channelProfileId);
    if (profile.orchestratorId === orchestrator.id) return profile;
    return refuse('ACCESS_DENIED', `The channel profile does not belong to the orchestrator ${orchestrator.id}.`);
  }

  /** The previous draft: sent along, or read from the thread of the answer. */
  async function draftOf(args: JsonObject, profile: ChannelProfile | undefined): Promise<Draft | undefined> {
    const { conversation } = args;
    const channel =
      profile && Object.hasOwn(deps.channels, profile.channel) ? deps.channels[profile.channel] : undefined;
    const given =
      args.draft ??
      (channel && isObject(conversation) ? await channel.noteBefore(profile!.id, conversation) : undefined);
    return given === undefined ? undefined : readDraft(given);
  }

  return {
    id: sayFunctionId,
    description:
      'Interprets a request in plain English: asks a question, or proposes one call and makes it after confirmation.',
    parameters,
    async invoke(args, caller) {
      try {
        return await say(args, caller);
      } catch (error) {
        // A channel can only show text to the person who asked.
        if (caller.origin !== 'channel' || !(error instanceof ProblemError) || error.problem.status >= 500) throw error;
        const { title, detail = title, hint } = error.problem;
        return { text: [fixedReplies.cannot, detail, hint].filter(Boolean).join(' ') };
      }
    },
  };
}

const parameters = objectSchema({
  utterance: stringField('The request in plain English.', { maxLength: 4000 }),
  answer: {
    description: 'The answer to a draft: text, or the value of an option. Default: the utterance.',
  },
  draft: { type: 'object', description: 'The draft of an earlier answer, unchanged.' },
  act: { type: 'boolean', description: 'Make the call without confirmation.' },
  channelProfileId: stringField('The profile whose channels and time zone apply.'),
  conversation: { type: 'object', description: 'The conversation, in the format of the channel.' },
  channels: {
    type: 'object',
    description: 'Names of channels in the utterance → their ids.',
    additionalProperties: stringField('Id.'),
  },
});

/** The person who asked, for the next draft. Only a channel acts for several people. */
function askerOf(draft: Draft | undefined, { by }: Caller): { asker?: JsonObject } {
  if (by.channelProfileId === undefined) return {};
  const { senderId, sender, requestMessageId } = draft?.asker ?? by;
  const known = Object.entries({ senderId, sender, requestMessageId }).filter(([, value]) => value !== undefined);
  return { asker: Object.fromEntries(known) as JsonObject };
}

function readAsker(given: Json): { asker?: Asker } {
  const asker = own(given, 'asker');
  if (!isObject(asker)) return {};
  const texts = ['senderId', 'sender', 'requestMessageId'].flatMap((key) => {
    const value = own(asker, key);
    return typeof value === 'string' && value.length <= longestName ? [[key, value]] : [];
  });
  return { asker: Object.fromEntries(texts) as Asker };
}

const longestName = 200;

function readDraft(given: Json): Draft | undefined {
  const kind = own(given, 'kind');
  const state = own(given, 'state');
  const asker = readAsker(given);
  if (kind === 'question' && isObject(state)) return { kind, state, ...asker };
  const invocation = own(given, 'invocation');
  const [functionId, functionArgs, key] = [
    own(invocation, 'functionId'),
    own(invocation, 'functionArgs'),
    own(given, 'key'),
  ];
  const command = typeof functionId === 'string' && functionId.startsWith('schedule.') && functionId !== sayFunctionId;
  if (kind !== 'proposal' || !command || typeof key !== 'string' || !isObject(functionArgs)) {
    return refuse('FUNCTION_ARGUMENTS', 'The draft is not valid.', { pointer: '/draft' });
  }
  return { kind, invocation: { functionId, functionArgs }, key, ...(isObject(state) && { state }), ...asker };
}

/** The context of an utterance: the orchestrator's jobs and journeys, the profile's time zone and channels, the conversation. */
async function contextOf(
  { jobs, library, functions, now }: SayDeps,
  { conversation, channels, ...said }: JsonObject,
  { orchestrator, functions: granted }: Caller,
  profile: ChannelProfile | undefined,
): Promise<IntentContext> {
  const named = { ...profile?.channels, ...(channels as Record<string, string> | undefined) };
  const [channelId, threadTs] = [own(conversation, 'channelId'), own(conversation, 'threadTs')];
  return {
    now: now(),
    ...(profile?.timezone !== undefined && { timezone: profile.timezone }),
    orchestratorId: orchestrator.id,
    ...(profile && { channelProfileId: profile.id }),
    conversation: {
      ...(typeof channelId === 'string' && { channelId }),
      ...(typeof threadTs === 'string' && { threadTs }),
    },
    channels: Object.entries(named),
    workflows: library.names().filter((name) => grants(orchestrator.journeys, name)),
    functions: functions.list(granted).map(({ functionId }) => functionId),
    jobs: await jobsOf(jobs, orchestrator.id, said),
  };
}

/** Number of jobs up to which all schedules are read. */
const few = 20;

/** The jobs that an utterance may refer to. A schedule is read only if the job is named, by a word of its name or by its id. */
async function jobsOf(jobs: SayDeps['jobs'], orchestratorId: string, said: Json): Promise<KnownJob[]> {
  const text = JSON.stringify(said).toLowerCase();
  const mentions = (name: string) =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((it) => it !== '' && text.includes(it.replace(/s$/, '')));
  let seen = 0;
  const found = await jobs.named(
    orchestratorId,
    ({ jobId, name }) => ++seen <= few || text.includes(jobId.toLowerCase()) || mentions(name ?? ''),
  );
  return found.map(toKnownJob);
}

/** Fixed texts. */
export const fixedReplies = {
  left: 'OK, nothing was changed.',
  yesOrNo: 'Please answer yes or no.',
  cannot: 'That cannot be done.',
} as const;

const yes =
  /^(?:yes|y|yep|yeah|yup|ok|okay|sure|correct|right|confirm|confirmed|do it|go ahead|go|please do)(?:,? (?:please|do it|go ahead|thanks|thank you))*[.!]*$/i;
const no =
  /^(?:no|n|nope|nah|cancel|stop|wrong|never ?mind|forget it|don'?t|do not|leave it)(?:,? (?:please|thanks|thank you))?[.!]*$/i;

function isYes(words: Json): boolean {
  return typeof words === 'string' && yes.test(words.trim());
}

function isNo(words: Json): boolean {
  return typeof words === 'string' && no.test(words.trim());
}

/** The reason why an utterance is not a request, with examples. */
function noneText(reason: string): string {
  if (reason === 'DISMISSED') return fixedReplies.left;
  if (reason === 'UTTERANCE_TOO_LONG') return 'The text is too long. Use one or two sentences.';
  return 'I manage scheduled jobs. For example: "post hello in #team every Friday at 9am", "list jobs", "pause the weekly report".';
}

/** The question with its options, numbered. */
export function questionText({ question, options = [] }: Clarify, { jobs, timezone }: IntentContext): string {
  const labels = options.map(({ label, value }) => {
    const job = jobs.find(({ jobId }) => jobId === value);
    return job ? fullJobLabel(job, timezone) : label;
  });
  return [question, ...labels.map((label, i) => `${i + 1}. ${label}`)].join('\n');
}

/** The proposed call, its next runs, and the question for confirmation. */
function proposalText(invocation: Invocation, context: IntentContext): { words: string; nextRuns: string[] } {
  const { cadence, next = [], notices = [] } = summarizeCall(invocation, context) ?? {};
  const times = next.map(({ local, offset, note }) => {
    const remark = note === undefined ? '' : `, ${note}`;
    return `${local.replace('T', ' ').slice(0, 16)} (UTC${offset}${remark})`;
  });
  const words = [
    `I understood: ${invocation.functionId} ${JSON.stringify(invocation.functionArgs)}`,
    ...(cadence === undefined ? [] : [`It would run ${cadence}.`]),
    ...(times.length === 0 ? [] : [`Next: ${times.join(', ')}.`]),
    ...notices.map((it) => remarks[it]),
    `${questions[invocation.functionId] ?? 'Make this call?'} (yes/no)`,
  ];
  return { words: words.join('\n'), nextRuns: next.map(({ instant }) => instant) };
}

const questions: Readonly<Record<string, string>> = {
  'schedule.create': 'Create this job?',
  'schedule.update': 'Update the job?',
  'schedule.pause': 'Pause the job?',
  'schedule.resume': 'Resume the job?',
  'schedule.delete': 'Delete the job?',
  'schedule.run_now': 'Run the job now?',
};

const doing: Readonly<Record<string, string>> = {
  'schedule.create': 'created',
  'schedule.update': 'updated',
  'schedule.pause': 'paused',
  'schedule.resume': 'resumed',
  'schedule.delete': 'deleted',
};

/** The result of a function as text. */
function doneText(functionId: string, result: unknown): string {
  if (functionId === 'schedule.runs') {
    const runs = (result as { items: readonly JobRun[] }).items;
    return runs.length > 0 ? runs.map(runLine).join('\n') : 'There are no runs yet.';
  }
  const it = (result ?? {}) as Partial<JobSummary> & {
    items?: readonly JobSummary[];
    executionId?: string;
    changed?: boolean;
  };
  if (functionId === 'schedule.list') {
    return it.items?.length ? it.items.map(jobLine).join('\n') : 'There are no jobs.';
  }
  if (functionId === 'schedule.run_now') return `A run was started: ${it.executionId}.`;
  if (it.jobId === undefined) return JSON.stringify(result ?? null);
  const done = doing[functionId];
  const line = jobLine(it as JobSummary);
  if (done === undefined) return line;
  return it.changed === false ? `Nothing to change: ${line}` : `The job was ${done}: ${line}`;
}

function runLine({ executionId, triggeredAt, phase, result, endedAt }: JobRun): string {
  return `${executionId}, ${result?.outcome ?? phase}, triggered ${triggeredAt}${endedAt === null ? '' : `, ended ${endedAt}`}`;
}

function jobLine({ jobId, name, state, cadence, nextRunAt }: JobSummary): string {
  const called = name === null ? jobId : `${name} (${jobId})`;
  return `${called}, ${state}, ${cadence}${nextRunAt === null ? '' : `, next ${nextRunAt}`}`;
}

/** The fields of a job that identify it to users. */
export function toKnownJob({ jobId, name, state, schedule = {}, targetAction }: NamedJob): KnownJob {
  const does = actionText(targetAction as Json | undefined);
  return { jobId, name: name ?? jobId, state, schedule, ...(does !== undefined && { does }) };
}

const exampleCadences = 'For example "every weekday at 9 am" or "every 2 hours".';

/** Reads a cadence in plain English, such as `every weekday at 9 am`, with the rules for jobs. Without a zone of its own it has `timezone`. */
export function cadenceFromWords(words: Json, timezone: Json | undefined, now: number): JsonObject {
  if (typeof words !== 'string' || words.length > 400)
    refuse('SCHEDULE_INVALID', '"words" must be a text of at most 400 characters.', { pointer: '/words' });
  const context: IntentContext = {
    now,
    orchestratorId: 'preview',
    conversation: {},
    channels: [],
    workflows: ['journey'],
    functions: [],
    jobs: [],
    ...(typeof timezone === 'string' && { timezone }),
  };
  const result = intentOf(`run journey ${words}`, context);
  if ('clarify' in result) {
    const options = result.clarify.options?.map(({ label }) => label).join(' / ');
    refuse('SCHEDULE_INVALID', result.clarify.question, { pointer: '/words', hint: options ?? exampleCadences });
  }
  const schedule = 'functionArgs' in result ? scheduleOf(result.functionArgs) : undefined;
  if (!isObject(schedule))
    return refuse('SCHEDULE_INVALID', 'The words are not a cadence.', { pointer: '/words', hint: exampleCadences });
  return schedule;
}
