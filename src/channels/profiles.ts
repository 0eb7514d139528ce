import { readSecret, type Secret, type SecretSource } from '../config/secret.js';
import { refuse } from '../problems/problem.js';

/** What the profiles of one kind of channel are configured with, by their id. */
export class Profiles<S> {
  constructor(
    private readonly settings: Readonly<Record<string, S>>,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  get(id: string): S {
    const settings = Object.hasOwn(this.settings, id) ? this.settings[id] : undefined;
    return settings ?? refuse('CHANNEL_PROFILE_UNKNOWN', 'There is no such profile of this channel.');
  }

  /** Read when it is needed, so that a rotated secret is seen; `key` says which one it is. */
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
