import { ApplicationFailure } from '@temporalio/workflow';
import { type Problem, ProblemError } from '../../src/base/problems/problem.js';
import type { Answer, Message } from '../../src/pipelines/messages-and-effects.js';
import { readIncoming } from '../../src/pipelines/read-incoming-messages.js';
import type { DeployRequest } from './workflow-contract.js';

/** The most messages of one update. */
const mostMessages = 500;

/** The signals that people send, with their descriptions in the Web UI. */
export const signalTexts = [
  ['publish', 'An event: {"topic": "orders", "id": "o-17", "payload": {}}. The same id twice is one event.'],
  ['trigger', 'Run a producer or consumer now: "poll"'],
  ['pause', 'Let nothing run by itself; the text says why: "maintenance"'],
  ['resume', 'Let it run by itself again'],
  ['resolve', 'Decide about a suspended run: {"run": "…", "how": "retry"}, or did_not_happen, or skip'],
] as const;

/** A message before it is read. */
export type TypedMessage = { type: string };

/** Reads the messages of an update; refuses all of them if one cannot be read. */
export function readMessages(given: readonly TypedMessage[]): Message[] {
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

/** Refuses an incomplete deployment: only our own programs deploy, and nothing else must break the pipeline. */
export function checkDeployment(given?: Partial<DeployRequest> | null): void {
  const { definition, hash, deployer, settings } = given ?? {};
  const isComplete =
    definition?.kind === 'Pipeline' && typeof hash === 'string' && typeof deployer === 'string' && settings?.limits;
  if (!isComplete)
    throw ApplicationFailure.nonRetryable('Deploy it with: journeyman pipeline deploy', 'PIPELINE_MESSAGE_INVALID');
}

/** A problem as the text of a note. */
export function problemText({ code, detail, title, hint }: Problem): string {
  return `\`${code}\` ${detail ?? title}${hint ? ` ${hint}` : ''}`;
}

/** Messages that arrived together, and the callback for their answers. */
export interface Arrival {
  readonly messages: readonly Message[];
  /** Length of the history on arrival. */
  readonly at?: number;
  answered?(answers: readonly Answer[]): void;
}

/** Messages that the reducer has not handled yet. */
export class Mailbox {
  private arrivals: Arrival[] = [];

  get isEmpty(): boolean {
    return this.arrivals.length === 0;
  }

  add(arrival: Arrival): void {
    this.arrivals.push(arrival);
  }

  /** Adds a message without content, so that the reducer checks the clock. */
  addClockTick(): void {
    this.add({ messages: [{ type: 'clock' }] });
  }

  /** Returns all pending messages and clears the mailbox. The end of a run comes first, because it frees capacity. */
  drain(): Arrival[] {
    const { arrivals } = this;
    this.arrivals = [];
    return arrivals.sort((a, b) => Number(isEnd(b)) - Number(isEnd(a)));
  }

  /** Drops the commands that arrived at this length of the history, and keeps their answers. */
  dropCommands(historyLength: number): void {
    const kept = (message: Message): Message => (commands.has(message.type) ? { type: 'clock' } : message);
    this.arrivals = this.arrivals.map((it) =>
      it.at === historyLength ? { ...it, messages: it.messages.map(kept) } : it,
    );
  }
}

/** Messages that have an effect each time; events, times and documents are recognised by their ids. */
const commands: ReadonlySet<Message['type']> = new Set(['trigger', 'pause', 'resume']);

function isEnd({ messages }: Arrival): boolean {
  return messages[0]?.type === 'ended';
}
