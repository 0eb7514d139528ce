import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { parseInstant } from '../../base/time/instant.js';
import { zoneFault } from '../../base/time/zones.js';
import { actionText } from './derive-job-names.js';
import type { IntentContext, KnownJob } from './intent-types.js';

function wrong(pointer: string, detail: string, hint: string): never {
  refuse('INTENT_INVALID', detail, { pointer, hint });
}

function text(value: JsonObject, key: string): string | undefined {
  const it = own(value, key) ?? undefined;
  if (it === undefined || typeof it === 'string') return it;
  return wrong(`/context/${key}`, `"${key}" is not a string`, 'Omit it or pass a string.');
}

function texts(value: JsonObject, key: string): string[] {
  const it = own(value, key) ?? [];
  if (Array.isArray(it) && it.every((entry) => typeof entry === 'string')) return it;
  return wrong(`/context/${key}`, `"${key}" is not an array of strings`, 'Pass an array of strings.');
}

/** Reads the context of an utterance from JSON. Only `now` and `orchestratorId` are required; unknown fields are ignored. */
export function readContext(value: Json | undefined): IntentContext {
  if (!isObject(value))
    return wrong('/context', 'The context is not an object', 'Pass an object with at least now and orchestratorId.');
  const now = parseInstant(text(value, 'now') ?? '');
  if (now === undefined)
    return wrong('/context/now', '"now" is not a timestamp', 'Pass an RFC 3339 timestamp, like 2027-01-31T09:00:00Z.');
  const orchestratorId = text(value, 'orchestratorId');
  if (!orchestratorId)
    return wrong(
      '/context/orchestratorId',
      '"orchestratorId" is missing',
      'Pass the id of the orchestrator that owns the jobs.',
    );
  const timezone = text(value, 'timezone');
  const fault = timezone === undefined ? undefined : zoneFault(timezone);
  if (fault) return wrong('/context/timezone', fault.message, fault.hint);
  const locale = text(value, 'locale');
  const channelProfileId = text(value, 'channelProfileId');
  return {
    now,
    orchestratorId,
    ...(timezone !== undefined && { timezone }),
    ...(locale !== undefined && { locale }),
    ...(channelProfileId !== undefined && { channelProfileId }),
    conversation: conversationOf(own(value, 'conversation')),
    channels: channelsOf(own(value, 'channels')),
    workflows: texts(value, 'workflows'),
    functions: texts(value, 'functions'),
    jobs: jobsOf(own(value, 'jobs')),
  };
}

function conversationOf(value: Json | undefined): IntentContext['conversation'] {
  if (!isObject(value)) return {};
  const [channelId, threadTs] = [text(value, 'channelId'), text(value, 'threadTs')];
  return { ...(channelId !== undefined && { channelId }), ...(threadTs !== undefined && { threadTs }) };
}

function channelsOf(value: Json | undefined): [string, string][] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, id]) => {
    if (typeof id !== 'string')
      return wrong('/context/channels', `The id of "${name}" is not a string`, 'Map channel names to channel ids.');
    return [name, id];
  });
}

function jobsOf(value: Json | undefined): KnownJob[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return wrong('/context/jobs', '"jobs" is not an array', 'Pass an array of jobs.');
  return value.map((job, i) => {
    const jobId = own(job, 'jobId');
    if (typeof jobId !== 'string' || jobId === '')
      return wrong(`/context/jobs/${i}/jobId`, 'A job has no id', 'Set jobId on every job.');
    const [name, state, schedule] = [own(job, 'name'), own(job, 'state'), own(job, 'schedule')];
    const does = actionText(own(job, 'targetAction'));
    return {
      jobId,
      name: typeof name === 'string' ? name : jobId,
      state: typeof state === 'string' ? state : 'enabled',
      schedule: isObject(schedule) ? schedule : {},
      ...(does !== undefined && { does }),
    };
  });
}
