import type { JsonObject } from '../../../base/json/value.js';
import { jobLabel } from '../derive-job-names.js';
import type { IntentContext, KnownJob } from '../intent-types.js';
import { type RequestedAction, readAction } from '../parse/action-phrases.js';
import { channelNamed, isPronoun, jobsLike, jobsNamed, workflowNamed } from '../parse/find-by-name.js';
import { placeNamed, unstripped, type Where } from '../parse/strip-time-and-place.js';
import type { ParsedRequest, Question } from '../parsed-request-types.js';
import { joinWords, splitWords } from '../split-words.js';
import type { When } from '../time/time-expression.js';

/** Journey that posts a text; it ships with the product. */
const postMessage = 'post-message';

/** A field of the job, or the question that has to be answered first. */
export type ResolvedTarget = { value: JsonObject | undefined } | { question: Question };

/** Builds the request with an answer put in. */
export interface Rebuild {
  action(action: RequestedAction, where?: Where, when?: When): ParsedRequest;
  where(where: Where): ParsedRequest;
}

/** Resolves `targetAction` of a job; `moment` is the schedule in words, for the question about what should happen. */
export function resolveAction(
  action: RequestedAction,
  context: IntentContext,
  rebuild: Rebuild,
  moment: string,
): ResolvedTarget {
  switch (action.kind) {
    case 'run':
      return {
        value: {
          type: 'workflow_start',
          workflowId: action.workflowId,
          ...(action.inputs && { inputs: action.inputs }),
        },
      };
    case 'call':
      return {
        value: {
          type: 'command_invoke',
          functionId: action.functionId,
          ...(action.args && { functionArgs: action.args }),
        },
      };
    case 'post':
      if (!context.workflows.includes(postMessage)) return { question: unknownWorkflow(context, rebuild) };
      return { value: { type: 'workflow_start', workflowId: postMessage, inputs: { text: action.text } } };
    case 'unknown':
      return { question: unknownWorkflow(context, rebuild, action.inputs) };
    case 'several':
      return {
        question: {
          code: 'MULTIPLE_TARGETS',
          field: 'targetAction',
          question: 'One job runs one thing. Which one?',
          ...workflowChoices(action.workflows, context, rebuild, action.inputs),
        },
      };
    case 'doubtful': {
      const { text, workflowId } = action;
      const choices = [
        { label: `run ${workflowId}`, value: 'run', next: rebuild.action({ kind: 'run', workflowId }) },
        { label: `post the text "${text}"`, value: 'post', next: rebuild.action({ kind: 'post', text }) },
      ];
      const question = 'A workflow has that name. Which of these?';
      return { question: { code: 'MULTIPLE_TARGETS', field: 'targetAction', question, choices } };
    }
    case 'open':
      return {
        question: {
          code: 'MISSING_TARGET_ACTION',
          field: 'targetAction',
          question: `What should happen${moment}?`,
          parseAnswer: (answer) => readTarget(answer, action.post, context, rebuild),
        },
      };
  }
}

function unknownWorkflow(context: IntentContext, rebuild: Rebuild, inputs?: JsonObject): Question {
  const question = "I don't know a workflow by that name. Which workflow should run?";
  return {
    code: 'UNKNOWN_WORKFLOW',
    field: 'targetAction.workflowId',
    question,
    ...workflowChoices(context.workflows, context, rebuild, inputs),
  };
}

function workflowChoices(
  workflows: readonly string[],
  context: IntentContext,
  rebuild: Rebuild,
  inputs?: JsonObject,
): Pick<Question, 'choices' | 'parseAnswer'> {
  const run = (workflowId: string) => rebuild.action({ kind: 'run', workflowId, ...(inputs && { inputs }) });
  return {
    choices: workflows.map((id) => ({ label: id, value: id, next: run(id) })),
    parseAnswer: (answer) => {
      const id = workflowNamed(answer, context);
      return id === undefined ? undefined : run(id);
    },
  };
}

/** Parses the answer to what should happen: an action, a workflow, or the text of a post. */
function readTarget(
  answer: string,
  post: boolean,
  context: IntentContext,
  rebuild: Rebuild,
): ParsedRequest | undefined {
  const spoken = splitWords(answer);
  if (!spoken || spoken.words.length === 0) return undefined;
  // A quoted answer is a text, whatever it says.
  if (post && spoken.words.length === 1 && spoken.quotes.length === 1)
    return rebuild.action({ kind: 'post', text: spoken.quotes[0]! });
  const requested = readAction(unstripped(spoken.words), context, spoken.quotes);
  if (requested && requested.action.kind !== 'unknown' && requested.action.kind !== 'open')
    return rebuild.action(requested.action, requested.where, requested.when);
  const workflowId = workflowNamed(joinWords(spoken.words, spoken.quotes, false), context);
  if (workflowId !== undefined) return rebuild.action({ kind: 'run', workflowId });
  if (post)
    return rebuild.action({ kind: 'post', text: joinWords(spoken.words, spoken.quotes, spoken.words.length > 1) });
  return requested ? rebuild.action(requested.action) : undefined;
}

/** Resolves `targetRef` of a job: required for a post, otherwise set only if a place was named. */
export function resolveChannel(where: Where, posts: boolean, context: IntentContext, rebuild: Rebuild): ResolvedTarget {
  const place = placeIn(where, posts, context);
  if (place === undefined) return { value: undefined };
  const { channelProfileId } = context;
  if (channelProfileId === undefined) return { question: noProfile };
  if ('person' in place) return { question: publicPost(context, rebuild) };
  if ('unknown' in place) return { question: unknownChannel(place.unknown, context, rebuild) };
  if ('several' in place) {
    const choices = place.several.map(([label, value]) => ({
      label,
      value,
      next: rebuild.where({ channelId: value }),
    }));
    return {
      question: {
        code: 'MULTIPLE_TARGETS',
        field: 'targetRef.channelId',
        question: 'One job posts to one channel. Which one?',
        choices,
        ...channelAnswer(context, rebuild),
      },
    };
  }
  const { channelId, threadTs } = place;
  const mode = threadTs === undefined ? { postingMode: 'channel_post' } : { postingMode: 'thread_reply', threadTs };
  return { value: { channel: 'slack', channelProfileId, channelId, ...mode } };
}

/** The posting identity comes from the caller, not from the utterance. */
const noProfile: Question = {
  code: 'UNKNOWN_CHANNEL',
  field: 'targetRef.channelProfileId',
  question: "I can't post without a channel profile. Which one should be used?",
};

type Place =
  | { channelId: string; threadTs?: string }
  | { unknown: string | undefined }
  | { person: true }
  | { several: [string, string][] };

function placeIn(
  { channels, here, thread, channelId, person }: Where,
  posts: boolean,
  context: IntentContext,
): Place | undefined {
  if (channelId !== undefined) return { channelId };
  const { conversation } = context;
  if (channels) {
    const known = channels.map((name) => [name, channelNamed(name, context)] as const);
    const unknown = known.find(([, id]) => id === undefined);
    if (unknown) return { unknown: unknown[0] };
    return known.length === 1 ? { channelId: known[0]![1]! } : { several: known as unknown as [string, string][] };
  }
  // A direct conversation in Slack has an id that begins with D.
  if (person && !/^D[A-Z0-9]+$/.test(conversation.channelId ?? '')) return { person: true };
  if (!here && !thread && !person && !posts) return undefined;
  if (conversation.channelId === undefined || (thread && conversation.threadTs === undefined))
    return { unknown: undefined };
  return { channelId: conversation.channelId, ...(thread && { threadTs: conversation.threadTs! }) };
}

/** Question about a message for one person: jobs post to channels. */
function publicPost(context: IntentContext, rebuild: Rebuild): Question {
  const { channelId } = context.conversation;
  const here =
    channelId === undefined ? [] : [{ label: 'here', value: channelId, next: rebuild.where({ here: true }) }];
  const others = context.channels.filter(([, id]) => id !== channelId);
  const choices = [
    ...here,
    ...others.map(([label, value]) => ({ label, value, next: rebuild.where({ channelId: value }) })),
  ];
  return {
    code: 'UNKNOWN_CHANNEL',
    field: 'targetRef.channelId',
    question: 'A job posts to a channel, where everyone can read it. Which channel?',
    ...(choices.length > 0 && { choices }),
    ...channelAnswer(context, rebuild),
  };
}

function unknownChannel(name: string | undefined, context: IntentContext, rebuild: Rebuild): Question {
  // Only a valid channel name is repeated in the question.
  const shown = name !== undefined && /^#[\p{L}\p{N}_-]{1,80}$/u.test(name) ? name : undefined;
  const question =
    shown === undefined
      ? name === undefined
        ? 'Which channel should it post to?'
        : "I can't post there. Which channel?"
      : `I can't post to ${shown}. Which channel?`;
  const choices = context.channels.map(([label, value]) => ({
    label,
    value,
    next: rebuild.where({ channelId: value }),
  }));
  return {
    code: 'UNKNOWN_CHANNEL',
    field: 'targetRef.channelId',
    question,
    ...(choices.length > 0 && { choices }),
    ...channelAnswer(context, rebuild),
  };
}

function channelAnswer(context: IntentContext, rebuild: Rebuild): Pick<Question, 'parseAnswer'> {
  return {
    parseAnswer: (answer) => {
      const place = placeNamed(answer, context.channels);
      if (place?.here && context.conversation.channelId !== undefined) return rebuild.where({ here: true });
      if (place?.channels && place.channels.length > 1) return rebuild.where(place);
      const id = channelNamed(place?.channels?.[0] ?? answer.trim().replace(/^(?:in|to) /i, ''), context);
      return id === undefined ? undefined : rebuild.where({ channelId: id });
    },
  };
}

/** Resolves the job that a request names, or asks which one is meant. */
export function resolveJob(
  request: { job: string; jobId?: string },
  context: IntentContext,
  withDeleted: boolean,
  rebuild: (jobId: string) => ParsedRequest,
): { job: KnownJob } | { question: Question } {
  const known = context.jobs.filter(({ state }) => withDeleted || state !== 'deleted');
  const chosen = request.jobId === undefined ? undefined : known.find(({ jobId }) => jobId === request.jobId);
  if (chosen) return { job: chosen };
  const named = isPronoun(request.job) ? known : jobsNamed(request.job, context, withDeleted);
  if (named.length === 1) return { job: named[0]! };
  const like = named.length > 0 ? named : isPronoun(request.job) ? [] : jobsLike(request.job, context);
  return { question: whichJob(like.length > 0 ? like : known, context, rebuild) };
}

function whichJob(
  jobs: readonly KnownJob[],
  context: IntentContext,
  rebuild: (jobId: string) => ParsedRequest,
): Question {
  const choices = jobs.map((job) => ({
    label: jobLabel(job, context.timezone),
    value: job.jobId,
    next: rebuild(job.jobId),
  }));
  const parseAnswer = (answer: string) => {
    const name = answer.trim().replace(/^(?:to|for|from|of) /i, '');
    const [job, ...more] = jobsNamed(name, { ...context, jobs: [...jobs] });
    return job && more.length === 0 ? rebuild(job.jobId) : undefined;
  };
  return {
    code: 'AMBIGUOUS_JOB',
    field: 'jobId',
    question: 'Which job?',
    ...(choices.length > 0 && { choices }),
    parseAnswer,
  };
}
