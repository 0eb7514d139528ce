import { isObject } from '../base/json/value.js';
import { ProblemError } from '../base/problems/problem.js';
import type { Config } from '../config/config-types.js';
import { readSecret, type SecretSource, secretReader } from '../config/read-secret.js';
import { allStates } from '../language/states/graph-traversal.js';
import type { LibraryEntry, PipelineEntry } from '../service/library-interface.js';

/** A secret that cannot be read in this process, and the reason; never its value. */
export interface MissingSecret {
  readonly name: string;
  readonly reason: string;
  /** Journeys, Apis and pipelines that name it. */
  readonly usedBy: readonly string[];
}

/** Secrets of the configuration, and secrets named by documents, that cannot be read. */
export function missingSecrets(
  config: Pick<Config, 'secrets' | 'cache' | 'kafka' | 'channelProfiles'>,
  entries: readonly Pick<LibraryEntry | PipelineEntry, 'definition'>[],
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

/** A missing secret in one line. */
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

/** Secret sources of the configuration outside `secrets`. */
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

/** Secrets named by a definition: of calls, of Kafka, of signatures on steps. */
function secretRefs(definition: (LibraryEntry | PipelineEntry)['definition']): Set<string> {
  const refs = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    else if (isObject(value))
      for (const [key, inner] of Object.entries(value))
        if (!refKey.test(key)) look(inner);
        else for (const ref of [inner].flat()) if (typeof ref === 'string') refs.add(ref);
  };
  if (definition.kind === 'Pipeline') {
    for (const { source } of Object.values(definition.topics)) look(source);
    return refs;
  }
  for (const { state } of allStates(definition)) {
    const { signature, task } = state as { signature?: unknown; task?: Record<string, unknown> };
    look(signature);
    if (task) look({ ...task, body: null, value: null });
  }
  return refs;
}
