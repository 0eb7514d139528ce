import { answerDraft, say as understand } from '../../intents/answer.js';
import type { IntentContext, Invocation, KnownJob } from '../../intents/types.js';
import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { ProblemError, refuse } from '../../problems/problem.js';
import type { Channels } from '../channels.js';
import type { Jobs } from '../jobs.js';
import type { Library } from '../library.js';
import { type ChannelProfile, grants, type Orchestrators } from '../orchestrators.js';
import type { Caller, Functions, ServiceFunction } from './registry.js';
import { answers, doneText, isNo, isYes, known, noneText, proposalText, questionText } from './say-text.js';
import { shape, text } from './schedule-schemas.js';

/** What plain English is understood with. */
export interface SayParts {
  readonly functions: Functions;
  readonly orchestrators: Orchestrators;
  readonly library: Library;
  readonly jobs: Pick<Jobs, 'named'>;
  readonly channels: Channels;
  readonly now: () => number;
}

/** What was said, and what is known by now: nothing else is kept anywhere. */
export interface Said {
  /** Words for people. */
  readonly text: string;
  /** Sent back with the answer; absent when there is nothing to answer. */
  readonly draft?: JsonObject;
  readonly clarify?: JsonObject;
  /** The command that was understood. */
  readonly invocation?: Invocation;
  readonly nextRuns?: readonly string[];
  /** What it answered, once it was done. */
  readonly result?: unknown;
}

/** What can be in a draft: the parser's question, or a command that waits for a yes. */
type Draft =
  | { readonly kind: 'question'; readonly state: JsonObject }
  | { readonly kind: 'proposal'; readonly invocation: Invocation; readonly key: string };

/** The function that plain English is handed to. */
export const sayFunctionId = 'schedule.say';

/** What was said; an answer to nothing is whatever was sent. */
function wordsOf(answer: Json): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

/** Functions that change nothing need no yes. */
const reading = new Set(['schedule.list', 'schedule.show']);

/** `schedule.say`: understands one utterance and answers with a question, a proposal, or what was done. */
export function sayFunction(parts: SayParts): ServiceFunction {
  const { functions, orchestrators } = parts;

  async function say(args: JsonObject, caller: Caller): Promise<Said> {
    const profile = profileOf(args, caller);
    const draft = await draftOf(args, profile);
    const answer = args.answer ?? args.utterance ?? '';
    if (draft?.kind === 'proposal') {
      if (args.act === true || isYes(answer)) return await act(draft.invocation, caller, draft.key);
      if (isNo(answer)) return { text: answers.left };
    }
    const context = await contextOf(parts, { ...args, draft: (draft ?? null) as Json }, caller, profile);
    const { result, ...more } =
      draft?.kind === 'question' ? answerDraft(draft.state, answer, context) : understand(wordsOf(answer), context);
    if ('none' in result) {
      if (draft?.kind !== 'proposal') return { text: noneText(result.reason) };
      return { text: answers.yesOrNo, draft: draft as unknown as JsonObject };
    }
    if ('clarify' in result) {
      const { clarify } = result;
      const asked = { kind: 'question', state: (more.draft ?? {}) as unknown as JsonObject };
      return { text: questionText(clarify), draft: asked, clarify: clarify as unknown as JsonObject };
    }
    return await propose(result, caller, args.act === true, context);
  }

  async function propose(invocation: Invocation, caller: Caller, told: boolean, context: IntentContext): Promise<Said> {
    functions.check(invocation.functionId, invocation.functionArgs, caller.orchestrator, caller.functions);
    if (told || reading.has(invocation.functionId)) return await act(invocation, caller, caller.requestId);
    const { words, nextRuns } = proposalText(invocation, context);
    const draft = { kind: 'proposal', invocation: invocation as unknown as Json, key: caller.requestId };
    return { text: words, draft, invocation, nextRuns };
  }

  /** The key is that of the proposal: who says yes twice gets it once. */
  async function act(invocation: Invocation, caller: Caller, key: string): Promise<Said> {
    const { functionId, functionArgs } = invocation;
    const result = await functions.invoke(functionId, functionArgs, { ...caller, requestId: key });
    return { text: doneText(functionId, result), invocation, result };
  }

  function profileOf({ channelProfileId }: JsonObject, { orchestrator }: Caller): ChannelProfile | undefined {
    if (typeof channelProfileId !== 'string') return undefined;
    const profile = orchestrators.profile(channelProfileId);
    if (profile.orchestratorId === orchestrator.id) return profile;
    return refuse('ACCESS_DENIED', `The channel profile belongs to another orchestrator than ${orchestrator.id}.`);
  }

  /** What was asked before: sent along, or read back from the thread that the answer stands in. */
  async function draftOf(args: JsonObject, profile: ChannelProfile | undefined): Promise<Draft | undefined> {
    const { conversation } = args;
    const channel =
      profile && Object.hasOwn(parts.channels, profile.channel) ? parts.channels[profile.channel] : undefined;
    const given =
      args.draft ??
      (channel && isObject(conversation) ? await channel.noteBefore(profile!.id, conversation) : undefined);
    return given === undefined ? undefined : readDraft(given);
  }

  return {
    id: sayFunctionId,
    description:
      'Understands what is said in plain English: asks back, or proposes one command and does it after a yes.',
    parameters,
    async invoke(args, caller) {
      try {
        return await say(args, caller);
      } catch (error) {
        // In a channel there is nobody but the person who asked, and words are all that arrives there.
        if (caller.origin !== 'channel' || !(error instanceof ProblemError) || error.problem.status >= 500) throw error;
        const { title, detail = title, hint } = error.problem;
        return { text: [answers.cannot, detail, hint].filter(Boolean).join(' ') };
      }
    },
  };
}

const parameters = shape({
  utterance: text('What was said.', { maxLength: 4000 }),
  answer: {
    description: 'The answer to a draft: words, or the value of an option. Without it the utterance is the answer.',
  },
  draft: { type: 'object', description: 'What an earlier answer gave, unchanged.' },
  act: { type: 'boolean', description: 'Do what is understood, without asking for a yes.' },
  channelProfileId: text('The profile whose channels and zone are meant.'),
  conversation: { type: 'object', description: 'Where it was said, in the words of the channel.' },
  channels: {
    type: 'object',
    description: 'Names of channels in the utterance → their ids.',
    additionalProperties: text('Id.'),
  },
});

function readDraft(given: Json): Draft | undefined {
  const kind = own(given, 'kind');
  const state = own(given, 'state');
  if (kind === 'question' && isObject(state)) return { kind, state };
  const invocation = own(given, 'invocation');
  const [functionId, functionArgs, key] = [
    own(invocation, 'functionId'),
    own(invocation, 'functionArgs'),
    own(given, 'key'),
  ];
  const command = typeof functionId === 'string' && functionId.startsWith('schedule.') && functionId !== sayFunctionId;
  if (kind !== 'proposal' || !command || typeof key !== 'string' || !isObject(functionArgs)) {
    return refuse('FUNCTION_ARGUMENTS', 'The draft is not one that was given.', { pointer: '/draft' });
  }
  return { kind, invocation: { functionId, functionArgs }, key };
}

/** What is around an utterance: the orchestrator's jobs and journeys, the profile's zone and channels, where it was said. */
async function contextOf(
  { jobs, library, functions, now }: SayParts,
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

/** So few that all can be read. */
const few = 20;

/** The jobs that can be spoken about. The schedule of one matters only when it is named, by a word of its name or by its id. */
async function jobsOf(jobs: SayParts['jobs'], orchestratorId: string, said: Json): Promise<KnownJob[]> {
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
  return found.map(known);
}
