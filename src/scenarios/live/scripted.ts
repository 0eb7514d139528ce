import type { Definition } from '../../definition/definition.js';
import type { Reply } from '../../tasks/virtual.js';
import { type BackendRule, ScriptedBackend } from '../backend.js';
import { httpCalls } from '../http-calls.js';
import { BackendServers, literalOrigins, operationCalls, originOf } from './backend-server.js';

export interface ScriptedOptions {
  /** Whether time is shorter than the scenario says. */
  shortened: boolean;
  /** Resolves when a reply is to be sent. */
  held: (reply: Reply) => Promise<void>;
  /** Virtual milliseconds since the start. */
  sinceStart: () => number;
}

/** The services of a scenario behind real ports, for the journeys that call them. */
export async function openScripted(
  journeys: readonly Definition[],
  given: readonly BackendRule[],
  { shortened, held, sinceStart }: ScriptedOptions,
) {
  const rules = shortened ? withoutLateReplies(journeys, given) : given;
  const backend = new ScriptedBackend(rules);
  const operations = journeys.flatMap(operationCalls);
  const servers = await BackendServers.open(originsOf(journeys, given), {
    backend,
    operations: (call) => operations.find(({ pattern }) => pattern.matches(call))?.operation,
    held,
    sinceStart,
  });
  return {
    backend,
    servers,
    /** Whether calls must give up soon: one of them gets no answer. */
    hasty: shortened && rules.some(({ replies }) => replies.some(({ fail }) => fail === 'timeout')),
  };
}

/** A reply that takes longer than its call will wait never comes; shortened, it would be in time. */
function withoutLateReplies(journeys: readonly Definition[], backend: readonly BackendRule[]): BackendRule[] {
  const tasks = journeys.flatMap(httpCalls);
  return backend.map(({ calls, replies }) => {
    const meant = tasks.filter((task) => calls.matches(task));
    const shortest = Math.min(...(meant.length > 0 ? meant : tasks).map(({ timeoutMs }) => timeoutMs));
    const onTime = (reply: Reply): Reply => (reply.afterMs > shortest ? { ...reply, fail: 'timeout' } : reply);
    return { calls, replies: replies.map(onTime) };
  });
}

function originsOf(journeys: readonly Definition[], backend: readonly BackendRule[]): string[] {
  const scripted = backend.flatMap(({ calls }) => originOf(calls.text.replace(/^\S+ +/, '')) ?? []);
  return [...journeys.flatMap(literalOrigins), ...scripted].map((origin) => new URL(origin).origin);
}
