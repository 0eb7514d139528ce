import type { JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { readTargetRef } from '../../schedules/jobs/read-output-destination.js';
import type { Channels } from '../channel-interface.js';
import type { Orchestrator, Orchestrators } from '../orchestrators.js';
import { objectSchema, stringField, targetRefSchema } from './function-parameter-schemas.js';
import type { ServiceFunction } from './function-registry.js';

/** `channel.post`: posts a message in a channel of the orchestrator's profiles. */
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
      refuse('ACCESS_DENIED', `The orchestrator ${orchestrator.id} has no such profile for this channel.`, {
        pointer: '/targetRef/channelProfileId',
      });
    const channel = Object.hasOwn(channels, ref.channel) ? channels[ref.channel] : undefined;
    return { ref, channel: channel ?? refuse('CHANNEL_NOT_SERVED') };
  };
  return {
    id: 'channel.post',
    description: 'Posts a message in a channel.',
    parameters: objectSchema(
      { text: stringField('Text of the message.', { maxLength: 4000 }), targetRef: targetRefSchema },
      ['text', 'targetRef'],
    ),
    check: (args, orchestrator) => void check(args, orchestrator),
    async invoke(args, { orchestrator, requestId }) {
      const { ref, channel } = check(args, orchestrator);
      // The output of the run may go to the same target as a separate message.
      return await channel.post({ executionId: `${requestId}/post`, targetRef: ref, text: args.text as string });
    },
  };
}
