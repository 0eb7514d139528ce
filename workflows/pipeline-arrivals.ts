import { ApplicationFailure } from '@temporalio/workflow';
import { readIncoming } from '../src/pipelines/incoming.js';
import type { Answer, Message } from '../src/pipelines/message.js';
import { type Problem, ProblemError } from '../src/problems/problem.js';
import type { DeployRequest } from './pipeline-input.js';

/** The most messages of one update. */
const mostMessages = 500;

/** Messages that came together, and who waits for the answers. */
export interface Arrival {
  readonly messages: readonly Message[];
  /** How long the history was when it was told. */
  readonly at?: number;
  answered?(answers: readonly Answer[]): void;
}

/** The signals that people send, and what the Web UI says about each. */
export const signalTexts = [
  ['publish', 'An event: {"topic": "orders", "id": "o-17", "payload": {}}. The same id twice is one event.'],
  ['trigger', 'Run a producer or consumer now: "poll"'],
  ['pause', 'Let nothing run by itself; the text says why: "maintenance"'],
  ['resume', 'Let it run by itself again'],
  ['resolve', 'Decide about a suspended run: {"run": "…", "how": "retry"}, or did_not_happen, or skip'],
] as const;

/** A message as it comes from outside. */
export type TypedMessage = { type: string };

/** Reads the messages of an update; refuses all of them if one cannot be read. */
export function readAll(given: readonly TypedMessage[]): Message[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostMessages)
    throw ApplicationFailure.nonRetryable(`Send a list of 1 to ${mostMessages} messages.`, 'PIPELINE_MESSAGE_INVALID');
  try {
    return given.map((message) => readIncoming(String(message?.type), message));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, title } = error.problem;
    throw ApplicationFailure.create({ type: code, message: title, nonRetryable: true, details: [error.problem] });
  }
}

/** Only our own programs deploy; what anybody else sends must not break the pipeline. */
export function checkDeployment(given?: Partial<DeployRequest> | null): void {
  const { definition, hash, deployer, settings } = given ?? {};
  const isWhole =
    definition?.kind === 'Pipeline' && typeof hash === 'string' && typeof deployer === 'string' && settings?.limits;
  if (!isWhole)
    throw ApplicationFailure.nonRetryable('Deploy it with: journeyman pipeline deploy', 'PIPELINE_MESSAGE_INVALID');
}

/** What was told again: events, times and documents are known by their ids. */
export function withoutWishes({ messages, ...arrival }: Arrival): Arrival {
  return { ...arrival, messages: messages.map((it) => (wishes.has(it.type) ? { type: 'clock' } : it)) };
}

const wishes: ReadonlySet<Message['type']> = new Set(['trigger', 'pause', 'resume']);

/** Whether a run has ended. */
export function isEnd({ messages }: Arrival): boolean {
  return messages[0]?.type === 'ended';
}

/** A problem, for a note. */
export function inWords({ code, detail, title, hint }: Problem): string {
  return `\`${code}\` ${detail ?? title}${hint ? ` ${hint}` : ''}`;
}
