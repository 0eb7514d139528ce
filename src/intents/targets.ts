import type { JsonObject } from '../json/value.js';
import type { Action } from './action.js';
import { readAction } from './actions.js';
import type { Frame, Question } from './frame.js';
import { channelNamed, workflowNamed } from './names.js';
import { unpeeled, type Where } from './peel.js';
import type { IntentContext } from './types.js';
import type { When } from './when.js';
import { said, split } from './words.js';

/** The journey that posts a text; it ships with the product. */
const postMessage = 'post-message';

/** Something of a job, or the question in its way. */
export type Part = { value: JsonObject | undefined } | { question: Question };

/** How answers get back into the frame. */
export interface Rebuild {
  action(action: Action, where?: Where, when?: When): Frame;
  where(where: Where): Frame;
}

/** `targetAction` of a job; `moment` says when, for the question what should happen then. */
export function targetAction(action: Action, context: IntentContext, rebuild: Rebuild, moment: string): Part {
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
      return { question: unknownWorkflow(context, rebuild) };
    case 'several':
      return {
        question: {
          code: 'MULTIPLE_TARGETS',
          field: 'targetAction',
          question: 'One job runs one thing. Which one?',
          ...workflowChoices(action.workflows, context, rebuild),
        },
      };
    case 'open':
      return {
        question: {
          code: 'MISSING_TARGET_ACTION',
          field: 'targetAction',
          question: `What should happen${moment}?`,
          free: (answer) => readTarget(answer, action.post, context, rebuild),
        },
      };
  }
}

function unknownWorkflow(context: IntentContext, rebuild: Rebuild): Question {
  const question = "I don't know a workflow by that name. Which workflow should run?";
  return {
    code: 'UNKNOWN_WORKFLOW',
    field: 'targetAction.workflowId',
    question,
    ...workflowChoices(context.workflows, context, rebuild),
  };
}

function workflowChoices(
  workflows: readonly string[],
  context: IntentContext,
  rebuild: Rebuild,
): Pick<Question, 'choices' | 'free'> {
  const run = (workflowId: string) => rebuild.action({ kind: 'run', workflowId });
  return {
    choices: workflows.map((id) => ({ label: id, value: id, leads: run(id) })),
    free: (answer) => {
      const id = workflowNamed(answer, context);
      return id === undefined ? undefined : run(id);
    },
  };
}

/** What an answer says should happen: an action in words, a workflow, or a text where one was to be posted. */
function readTarget(answer: string, post: boolean, context: IntentContext, rebuild: Rebuild): Frame | undefined {
  const spoken = split(answer);
  if (!spoken || spoken.words.length === 0) return undefined;
  const acted = readAction(unpeeled(spoken.words), context, spoken.quotes);
  if (acted && acted.action.kind !== 'unknown' && acted.action.kind !== 'open')
    return rebuild.action(acted.action, acted.where, acted.when);
  const workflowId = workflowNamed(said(spoken.words, spoken.quotes, false), context);
  if (workflowId !== undefined) return rebuild.action({ kind: 'run', workflowId });
  if (post) return rebuild.action({ kind: 'post', text: said(spoken.words, spoken.quotes, spoken.words.length > 1) });
  return acted ? rebuild.action(acted.action) : undefined;
}

/** `targetRef` of a job: a post needs a place, anything else has one only if it was said. */
export function targetRef(where: Where, posts: boolean, context: IntentContext, rebuild: Rebuild): Part {
  const place = placeIn(where, posts, context);
  if (place === undefined) return { value: undefined };
  const { channelProfileId } = context;
  if (channelProfileId === undefined) return { question: noProfile };
  if ('unknown' in place) return { question: unknownChannel(place.unknown, context, rebuild) };
  if ('several' in place) {
    const choices = place.several.map(([label, value]) => ({
      label,
      value,
      leads: rebuild.where({ channelId: value }),
    }));
    return {
      question: {
        code: 'MULTIPLE_TARGETS',
        field: 'targetRef.channelId',
        question: 'One job posts to one channel. Which one?',
        choices,
        ...channelWords(context, rebuild),
      },
    };
  }
  const { channelId, threadTs } = place;
  const mode = threadTs === undefined ? { postingMode: 'channel_post' } : { postingMode: 'thread_reply', threadTs };
  return { value: { channel: 'slack', channelProfileId, channelId, ...mode } };
}

/** Who posts is not a matter of words: the caller has to know it. */
const noProfile: Question = {
  code: 'UNKNOWN_CHANNEL',
  field: 'targetRef.channelProfileId',
  question: "I can't post without a channel profile. Which one should be used?",
};

type Place =
  | { channelId: string; threadTs?: string }
  | { unknown: string | undefined }
  | { several: [string, string][] };

function placeIn(
  { channels, here, thread, channelId }: Where,
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
  if (!here && !thread && !posts) return undefined;
  if (conversation.channelId === undefined || (thread && conversation.threadTs === undefined))
    return { unknown: undefined };
  return { channelId: conversation.channelId, ...(thread && { threadTs: conversation.threadTs! }) };
}

function unknownChannel(name: string | undefined, context: IntentContext, rebuild: Rebuild): Question {
  // Only what could be a channel's name is said back.
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
    leads: rebuild.where({ channelId: value }),
  }));
  return {
    code: 'UNKNOWN_CHANNEL',
    field: 'targetRef.channelId',
    question,
    ...(choices.length > 0 && { choices }),
    ...channelWords(context, rebuild),
  };
}

function channelWords(context: IntentContext, rebuild: Rebuild): Pick<Question, 'free'> {
  return {
    free: (answer) => {
      if (/^(?:in )?(?:here|this channel)[.!]?$/i.test(answer.trim()) && context.conversation.channelId !== undefined)
        return rebuild.where({ here: true });
      const id = channelNamed(answer.trim().replace(/^(?:in|to) /i, ''), context);
      return id === undefined ? undefined : rebuild.where({ channelId: id });
    },
  };
}
