import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { refuse } from '../problems/problem.js';
import type { CreatedBy } from '../scheduling/jobs/record.js';
import { member, operator, type ScopeRequest, scopeOf } from '../service/automation.js';
import type { Caller } from '../service/functions/registry.js';
import type { ChannelProfile, Orchestrators } from '../service/orchestrators.js';
import { isIdempotencyKey } from '../service/runs.js';
import { anonymous, type Principal } from './auth/authenticate.js';
import { factsOf, idempotencyKey } from './request.js';
import { invalid } from './schedule-query.js';

/** What every request about jobs may say in its query: the scope, and for whom a channel speaks. */
export const scoping = ['orchestratorId', 'channelProfileId', 'senderId', 'sender', 'requestMessageId'];

const asserted = ['senderId', 'sender', 'requestMessageId'] as const;

/** Who calls, and in which orchestrator. Operators may act in all; a channel in that of a profile it speaks for. */
export function jobCaller(
  orchestrators: Orchestrators,
  request: Request,
  response: Response,
  given: ReadonlyMap<string, string>,
  orchestratorId = given.get('orchestratorId'),
): Caller {
  const { principal } = factsOf(response);
  const scope: ScopeRequest = { orchestratorId, channelProfileId: given.get('channelProfileId') };
  const isOperator = principal.roles.includes('operator');
  if (!isOperator && scope.channelProfileId === undefined)
    refuse('ORCHESTRATOR_REQUIRED', 'A channel names its channelProfileId.');
  const { orchestrator, profile } = scopeOf(orchestrators, scope);
  const speaks = profile !== undefined && speaksFor(principal, profile);
  if (!isOperator && !speaks)
    refuse('FORBIDDEN', 'The caller does not speak for this channel profile.', {
      hint: `List it under channelProfiles.${profile?.id}.callers in the configuration.`,
    });
  const by = requester(principal, profile, speaks, given);
  const key = idempotencyKey(request);
  const requestId = key ?? (by.requestMessageId === undefined ? randomUUID() : `message:${by.requestMessageId}`);
  return (isOperator ? operator : member)(orchestrator, by, speaks ? 'channel' : 'http', requestId);
}

/** Without authentication everybody is on this machine, and may speak for anybody. */
function speaksFor(principal: Principal, profile: ChannelProfile): boolean {
  return principal.roles.includes('channel') && (principal === anonymous || profile.callers.includes(principal.id));
}

/** Who it was: as authenticated, and as the channel says that speaks for its own profile. */
function requester(
  principal: Principal,
  profile: ChannelProfile | undefined,
  speaks: boolean,
  given: ReadonlyMap<string, string>,
): CreatedBy {
  const said = asserted.filter((name) => given.has(name));
  if (said.length > 0 && !speaks)
    refuse('FORBIDDEN', `Only a channel may say ${said.join(', ')}, for its own profile.`);
  const messageId = given.get('requestMessageId');
  if (messageId !== undefined && !isIdempotencyKey(messageId)) invalid('requestMessageId', 'is not usable');
  return {
    caller: principal.id,
    ...(profile && { channelProfileId: profile.id }),
    ...Object.fromEntries(said.map((name) => [name, given.get(name)!])),
  };
}
