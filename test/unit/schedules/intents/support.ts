import type { JsonObject } from '../../../../src/base/json/value.js';
import { intentOf } from '../../../../src/schedules/intents/conversation.js';
import type { IntentContext, IntentResult, Option } from '../../../../src/schedules/intents/intent-types.js';
import { readContext } from '../../../../src/schedules/intents/read-intent-context.js';

/** A bakery: Wednesday 2027-06-09, 11:00 in Berlin. */
export const bakery: JsonObject = {
  now: '2027-06-09T09:00:00Z',
  timezone: 'Europe/Berlin',
  locale: 'en-GB',
  orchestratorId: 'bakery',
  channelProfileId: 'shop_chat',
  sender: { senderId: 'U7', sender: 'Ada' },
  conversation: { channelId: 'C900', threadTs: '1812500000.000200' },
  channels: { '#counter': 'C10', '#ovens': 'C20' },
  workflows: ['post-message', 'order-flour', 'night-shift', 'stock-take', 'stock-report'],
  functions: ['run.status', 'oven.list'],
  jobs: [
    {
      jobId: 'job-7',
      name: 'dough timer',
      state: 'enabled',
      schedule: { type: 'cron', expression: '30 4 * * 1-6', timezone: 'Europe/Berlin' },
    },
    {
      jobId: 'job-8',
      name: 'morning prices',
      state: 'paused',
      schedule: { type: 'cron', expression: '0 6 * * *', timezone: 'Europe/Berlin' },
    },
    {
      jobId: 'job-9',
      name: 'morning orders',
      state: 'enabled',
      schedule: { type: 'cron', expression: '15 6 * * 2', timezone: 'Europe/Berlin' },
    },
    { jobId: 'job-10', name: 'oven check', state: 'enabled', schedule: { type: 'interval', everySeconds: 1800 } },
    {
      jobId: 'job-11',
      name: 'flour delivery',
      state: 'deleted',
      schedule: { type: 'once', runAt: '2027-06-01T05:00:00Z' },
    },
  ],
};

export const context = (override: JsonObject = {}): IntentContext => readContext({ ...bakery, ...override });

/** Interprets an utterance in the bakery's context. */
export const interpret = (utterance: string, override: JsonObject = {}): IntentResult =>
  intentOf(utterance, context(override));

/** The resulting schedule as one line: `cron 0 9 * * 1 Europe/Berlin`, `every 900`, `once 2027-…`; else the whole result. */
export function scheduled(utterance: string, override: JsonObject = {}): string {
  const result = interpret(utterance, override);
  if (!('functionId' in result)) return JSON.stringify(result);
  const { schedule, patch } = result.functionArgs as { schedule?: JsonObject; patch?: { schedule: JsonObject } };
  const { expression, timezone, everySeconds, anchorAt, runAt } = schedule ?? patch!.schedule;
  if (expression !== undefined) return `cron ${expression} ${timezone}`;
  if (runAt !== undefined) return `once ${runAt}`;
  return `every ${everySeconds}${anchorAt === undefined ? '' : ` from ${anchorAt}`}`;
}

/** The code of the question, or any other result as JSON. */
export function asked(utterance: string, override: JsonObject = {}): string {
  const result = interpret(utterance, override);
  return 'clarify' in result ? result.clarify.code : JSON.stringify(result);
}

/** The options of the question. */
export function offered(utterance: string, override: JsonObject = {}): Option[] {
  const result = interpret(utterance, override);
  return 'clarify' in result ? (result.clarify.options ?? []) : [];
}
