import { type ClientConfigProfile, type ClientConfigTLS, loadClientConfigProfile } from '@temporalio/envconfig';
import { type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { TemporalConfig } from './config.js';
import { readSecret, Secret, type SecretSource } from './secret.js';

/** Any of these names a Temporal service on purpose; only then is Temporal's profile file read. */
const naming = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'] as const;

/**
 * Our `temporal` section below Temporal's own variables and profile. A default profile that merely exists in the home folder does not
 * count: `journeyman up` must not reach a production cluster because of a file nobody mentioned.
 */
export function resolveTemporal(section: JsonObject, env: NodeJS.ProcessEnv): TemporalConfig {
  const profile = loadProfile(env);
  const address = profile.address ?? text(section, 'address');
  const tls = profile.tls ?? sectionTls(section);
  const apiKey = profile.apiKey === undefined ? sectionKey(section, env) : new Secret(profile.apiKey);
  return {
    namespace: profile.namespace ?? (text(section, 'namespace') as string),
    taskQueue: text(section, 'taskQueue') as string,
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(profile.grpcMeta === undefined ? {} : { metadata: profile.grpcMeta }),
  };
}

function loadProfile(env: NodeJS.ProcessEnv): ClientConfigProfile {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value)) as Record<string, string>;
  try {
    return loadClientConfigProfile({
      overrideEnvVars: variables,
      disableFile: !naming.some((name) => variables[name] !== undefined),
    });
  } catch (error) {
    return refuse('CONFIG_FILE_INVALID', `Temporal's own configuration cannot be used: ${(error as Error).message}`, {
      hint: 'Check TEMPORAL_CONFIG_FILE and TEMPORAL_PROFILE.',
    });
  }
}

function text(section: JsonObject, key: string): string | undefined {
  return own(section, key) as string | undefined;
}

function sectionTls(section: JsonObject): ClientConfigTLS | undefined {
  const tls = own(section, 'tls') as JsonObject | undefined;
  if (tls === undefined) return undefined;
  const file = (key: string) => {
    const path = text(tls, key);
    return path === undefined ? undefined : { path };
  };
  const parts = {
    disabled: own(tls, 'disabled') as boolean | undefined,
    serverName: text(tls, 'serverName'),
    serverCACert: file('caFile'),
    clientCert: file('certFile'),
    clientKey: file('keyFile'),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as ClientConfigTLS;
}

function sectionKey(section: JsonObject, env: NodeJS.ProcessEnv): Secret | undefined {
  const source = own(section, 'apiKey') as unknown as SecretSource | undefined;
  return source === undefined ? undefined : readSecret('temporal.apiKey', source, env);
}
