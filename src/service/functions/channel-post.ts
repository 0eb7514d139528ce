import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { readTargetRef } from '../../scheduling/jobs/target-ref.js';
import type { Channels } from '../channels.js';
import type { Orchestrator, Orchestrators } from '../orchestrators.js';
import type { ServiceFunction } from './registry.js';
import { shape, targetRef, text } from './schedule-schemas.js';

/** `channel.post`: says something in a channel of the orchestrator's own profiles. */
export function channelPostFunction(channels: Channels, orchestrators: Orchestrators): ServiceFunction {
  const check = ({ targetRef: given }: JsonObject, orchestrator: Orchestrator) => {
    const { ref, findings } = readTargetRef(given ?? null, '/targetRef');
    if (ref === undefined)
      return refuse('TARGET_REF_INVALID', `${findings[0]!.message}.`, {
        pointer: findings[0]!.pointer,
        errors: findings,
      });
    const profile = orchestrators.profile(ref.channelProfileId);
    if (profile.orchestratorId !== orchestrator.id || profile.channel !== ref.channel)
      refuse('ACCESS_DENIED', `The orchestrator ${orchestrator.id} has no such profile of this channel.`, {
        pointer: '/targetRef/channelProfileId',
      });
    const channel = Object.hasOwn(channels, ref.channel) ? channels[ref.channel] : undefined;
    return { ref, channel: channel ?? refuse('CHANNEL_NOT_SERVED') };
  };
  return {
    id: 'channel.post',
    description: 'Says something in a channel.',
    parameters: shape({ text: text('What is said.', { maxLength: 4000 }), targetRef }, ['text', 'targetRef']),
    check: (args, orchestrator) => void check(args, orchestrator),
    async invoke(args, { orchestrator, requestId }) {
      const { ref, channel } = check(args, orchestrator);
      // The run's own output may go to the same place, and is another message.
      return await channel.post({ executionId: `${requestId}/post`, targetRef: ref, text: args.text as string });
    },
  };
}
