import type { Config } from '../config/config.js';
import { readSecret, type SecretSource, secretReader } from '../config/secret.js';
import type { Definition } from '../definition/definition.js';
import { isObject } from '../json/value.js';
import { ProblemError } from '../problems/problem.js';
import type { LibraryEntry } from '../service/library.js';
import { allStates } from '../states/graphs.js';

/** A secret that cannot be read in this process, and why; never its value. */
export interface MissingSecret {
  readonly name: string;
  readonly reason: string;
  /** Journeys and Apis that name it. */
  readonly usedBy: readonly string[];
}

/** The secrets that this configuration promises, or that documents name, and that cannot be read here and now. */
export function missingSecrets(
  config: Pick<Config, 'secrets' | 'cache' | 'kafka' | 'channelProfiles'>,
  entries: readonly Pick<LibraryEntry, 'definition'>[],
  env: NodeJS.ProcessEnv = process.env,
): MissingSecret[] {
  const users = new Map<string, string[]>(Object.keys(config.secrets).map((ref) => [ref, []]));
  for (const { definition } of entries)
    for (const ref of secretRefs(definition)) users.set(ref, [...(users.get(ref) ?? []), definition.name]);
  const read = secretReader(config.secrets, env);
  return [
    ...[...users].flatMap(([ref, usedBy]) => missing(ref, usedBy, () => read(ref))),
    ...ownSources(config).flatMap(([name, source]) => missing(name, [], () => readSecret(name, source, env))),
  ];
}

/** A secret that is missing, in a line. */
export function missingSecretText({ reason, usedBy }: MissingSecret): string {
  return usedBy.length === 0 ? reason : `${reason} (for ${usedBy.join(', ')})`;
}

function missing(name: string, usedBy: readonly string[], read: () => unknown): MissingSecret[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { detail, title } = error.problem;
    return [{ name, usedBy, reason: detail ?? title }];
  }
}

/** What the configuration itself reads, besides `secrets`. */
function ownSources({ cache, kafka, channelProfiles }: Pick<Config, 'cache' | 'kafka' | 'channelProfiles'>) {
  const sources: [string, SecretSource | undefined][] = [
    ['cache.redisPassword', cache.redisPassword],
    ['kafka.connection', kafka.connection],
    ...Object.entries(channelProfiles).flatMap(([id, { slack, webhook }]): [string, SecretSource | undefined][] => [
      [`channelProfiles.${id}.slack.token`, slack?.token],
      [`channelProfiles.${id}.slack.signingSecret`, slack?.signingSecret],
      [`channelProfiles.${id}.webhook.secret`, webhook?.secret],
    ]),
  ];
  return sources.filter((it): it is [string, SecretSource] => it[1] !== undefined);
}

const refKey = /^(secret|token|clientSecret|clientCert|pem|connectionSecret)Refs?$/;

/** The secrets that a definition names: of calls, of Kafka, of signatures on steps. */
function secretRefs(definition: Definition): Set<string> {
  const refs = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    else if (isObject(value))
      for (const [key, inner] of Object.entries(value))
        if (!refKey.test(key)) look(inner);
        else for (const ref of [inner].flat()) if (typeof ref === 'string') refs.add(ref);
  };
  for (const { state } of allStates(definition)) {
    const { signature, task } = state as { signature?: unknown; task?: Record<string, unknown> };
    look(signature);
    if (task) look({ ...task, body: null, value: null });
  }
  return refs;
}
