import { refuse } from '../../base/problems/problem.js';
import { readSecret, type Secret, type SecretSource } from '../../config/read-secret.js';

/** Settings of the profiles of one kind of channel, by id. */
export class ChannelProfiles<S> {
  constructor(
    private readonly settings: Readonly<Record<string, S>>,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  get(id: string): S {
    const settings = Object.hasOwn(this.settings, id) ? this.settings[id] : undefined;
    return settings ?? refuse('CHANNEL_PROFILE_UNKNOWN', 'This channel has no such profile.');
  }

  /** Reads a secret on each use, so that a rotated one applies; `key` names it. */
  secret(id: string, key: string, source: SecretSource | undefined): Secret {
    const name = `channelProfiles.${id}.${key}`;
    if (source === undefined) {
      refuse('SECRET_UNKNOWN', `${name} is not configured`, {
        hint: `Set ${name} to { env: NAME } or { file: path }.`,
      });
    }
    return readSecret(name, source, this.env);
  }
}
