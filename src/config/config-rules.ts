import { isIP } from 'node:net';
import { isSecretName, secretIn } from '../base/document/detect-secrets.js';
import { escapePointer } from '../base/json/pointer.js';
import type { Finding } from '../base/problems/problem.js';
import { zoneFault } from '../base/time/zones.js';
import { ownActivityTypes, ownWorkflowTypes } from '../engine/definition/external-activity-types.js';
import { checkOrchestrators } from './complete-and-check-orchestrators.js';
import type { Config } from './config-types.js';
import { isLoopback } from './is-loopback.js';
import { scryptFault } from './parse-scrypt-hash.js';

/** Rules between settings, which the schema cannot express. */
export function checkRules(config: Config): Finding[] {
  return [
    ...authentication(config),
    ...jwtKeys(config),
    ...publicKeys(config),
    ...uniqueKeys(config),
    ...limitedKeys(config),
    ...hashedKeys(config),
    ...uniqueEncryptionKeys(config),
    ...ports(config),
    ...gatewayTls(config),
    ...profiles(config),
    ...timezone(config),
    ...checkOrchestrators(config),
    ...taskConnections(config),
    ...durations(config),
    ...allowedTasks(config),
  ];
}

/** Warnings about settings that expose something to others. */
export function unsafeSettings({
  server,
  temporal,
  gateway,
  plugins,
  platform,
}: Pick<Config, 'server' | 'temporal' | 'gateway' | 'plugins' | 'platform'>): Finding[] {
  const doubts = secretValues(platform.config, '/platform/config');
  if (temporal.address === undefined && !isLoopback(server.ip)) {
    doubts.push({
      ...unsafe('/server/ip', `server.ip ${server.ip}: the embedded server has no authentication`),
      hint: 'Anyone who can connect to it can read and change every run. Bind it to 127.0.0.1, or restrict access by other means.',
    });
  }
  // Beyond loopback it is refused; a proxy or tunnel in front of loopback makes it reachable all the same.
  const { publicUrl } = gateway;
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname) && !hasAuthentication(gateway.auth)) {
    doubts.push({
      ...unsafe('/gateway/publicUrl', `gateway.publicUrl ${publicUrl}: the gateway has no authentication`),
      hint: 'Anyone who reaches this URL has every role. Configure gateway.auth (apiKeys or jwt).',
    });
  }
  const keySets: [string, string | undefined][] = [
    ['gateway.auth.jwt', gateway.auth.jwt?.jwksUri],
    ...Object.entries(plugins.jwtValidate.profiles).map(([name, { jwksUri }]): [string, string | undefined] => [
      `plugins.jwtValidate.profiles.${name}`,
      jwksUri,
    ]),
  ];
  for (const [section, jwksUri] of keySets) {
    if (!jwksUri?.startsWith('http://') || isLoopback(new URL(jwksUri).hostname)) continue;
    doubts.push({
      ...unsafe(`/${section.replaceAll('.', '/')}/jwksUri`, `${section}.jwksUri is plain http`),
      hint: 'An attacker on the network could make the gateway accept any token. Use https.',
    });
  }
  return doubts;
}

/** Warnings about secrets among the values for journeys, which every run's history shows. */
function secretValues(value: unknown, pointer: string, name = ''): Finding[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) =>
      secretValues(inner, `${pointer}/${escapePointer(key)}`, key),
    );
  if (typeof value !== 'string') return [];
  const what = secretIn(value) ?? (isSecretName(name) ? 'a secret' : undefined);
  if (what === undefined) return [];
  const key = pointer.slice(1).replaceAll('/', '.');
  const hint =
    'Every run carries these values in its history. Name the secret under secrets, and refer to it as secret://….';
  return [{ ...unsafe(pointer, `${key} contains ${what}`), hint }];
}

function unsafe(pointer: string, message: string): Finding {
  return { code: 'CONFIG_UNSAFE', severity: 'warning', message, pointer };
}

function authentication({ gateway }: Config): Finding[] {
  if (isLoopback(gateway.host) || hasAuthentication(gateway.auth)) return [];
  return [
    {
      code: 'AUTH_REQUIRED',
      severity: 'error',
      message: `gateway.host ${gateway.host} is reachable from other machines, but authentication is not configured`,
      pointer: '/gateway/host',
      hint: 'Configure gateway.auth (apiKeys or jwt), or bind to 127.0.0.1.',
    },
  ];
}

/** True if the gateway authenticates callers. */
export function hasAuthentication(auth: Config['gateway']['auth']): boolean {
  return auth.apiKeys.length > 0 || auth.jwt !== undefined;
}

function jwtKeys({ gateway: { auth } }: Config): Finding[] {
  if (auth.jwt === undefined || (auth.jwt.jwksUri === undefined) !== (auth.jwt.keys === undefined)) return [];
  return [invalid('/gateway/auth/jwt', 'gateway.auth.jwt needs either jwksUri or keys, not both')];
}

/** Rejects private keys: verifying tokens needs public keys only, and the file must not contain secrets. */
function publicKeys({ gateway: { auth }, plugins }: Config): Finding[] {
  const places = [
    ['/gateway/auth/jwt', auth.jwt?.keys] as const,
    ...Object.entries(plugins.jwtValidate.profiles).map(
      ([name, { keys }]) => [`/plugins/jwtValidate/profiles/${name}`, keys] as const,
    ),
  ];
  return places.flatMap(([pointer, keys = []]) =>
    keys.flatMap((key, i) =>
      Object.hasOwn(key, 'd') || Object.hasOwn(key, 'k')
        ? [
            invalid(
              `${pointer}/keys/${i}`,
              'The key contains its private part',
              'Use the public key only, without "d" or "k".',
            ),
          ]
        : [],
    ),
  );
}

function gatewayTls({ gateway: { tls, clientCertificate } }: Config): Finding[] {
  const findings = (clientCertificate?.proxies ?? []).flatMap((range, i) =>
    isRange(range)
      ? []
      : [invalid(`/gateway/clientCertificate/proxies/${i}`, `"${range}" is not an address or CIDR range`)],
  );
  if (tls?.clientCertificates === 'required' && tls.clientCaFile === undefined)
    findings.push(invalid('/gateway/tls/clientCaFile', 'gateway.tls.clientCertificates: required needs clientCaFile'));
  return findings;
}

function isRange(text: string): boolean {
  const [address = '', prefix = '0', ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function profiles({ plugins }: Config): Finding[] {
  return Object.entries(plugins.jwtValidate.profiles).flatMap(([name, { jwksUri, keys }]) =>
    (jwksUri === undefined) === (keys === undefined)
      ? [
          invalid(
            `/plugins/jwtValidate/profiles/${name}`,
            `The profile "${name}" needs either jwksUri or keys, not both`,
          ),
        ]
      : [],
  );
}

function uniqueKeys({ gateway: { auth } }: Config): Finding[] {
  const ids = new Map<string, string>();
  const alike = auth.apiKeys.flatMap(({ id, hash }, i) => {
    const first = ids.get(hash);
    ids.set(hash, first ?? id);
    if (first === undefined || first === id) return [];
    return [
      invalid(
        `/gateway/auth/apiKeys/${i}/hash`,
        `The API keys "${first}" and "${id}" have the same hash and cannot be distinguished`,
      ),
    ];
  });
  return [...repeated(auth.apiKeys, '/gateway/auth/apiKeys', 'API keys'), ...alike];
}

function uniqueEncryptionKeys({ encryption }: Config): Finding[] {
  return repeated(encryption.keys, '/encryption/keys', 'encryption keys');
}

function repeated(named: readonly { id: string }[], pointer: string, what: string): Finding[] {
  const seen = new Set<string>();
  return named.flatMap(({ id }, i) =>
    seen.size === seen.add(id).size ? [invalid(`${pointer}/${i}/id`, `There are two ${what} called "${id}"`)] : [],
  );
}

/** Rejects hashes that are invalid, or so slow that they would stall the gateway. */
function hashedKeys({ gateway: { auth }, plugins }: Config): Finding[] {
  const lists: [string, readonly { id: string; hash: string }[]][] = [
    ['/gateway/auth/apiKeys', auth.apiKeys],
    ...Object.entries(plugins.apiKeyValidate.profiles).map(([name, { keys }]): [string, typeof keys] => [
      `/plugins/apiKeyValidate/profiles/${name}/keys`,
      keys,
    ]),
  ];
  return lists.flatMap(([pointer, keys]) =>
    keys.flatMap(({ id, hash }, i) => {
      const fault = scryptFault(hash);
      return fault ? [invalid(`${pointer}/${i}/hash`, `The hash of the key "${id}" ${fault.message}`, fault.hint)] : [];
    }),
  );
}

/** Rejects limits that would not be enforced. */
function limitedKeys({ gateway: { auth } }: Config): Finding[] {
  return auth.apiKeys.flatMap(({ id, roles, ...key }, i) =>
    (['journeys', 'actions', 'runs'] as const)
      .filter((limit) => key[limit] !== undefined && (!roles.includes('client') || roles.includes('operator')))
      .map((limit) =>
        invalid(
          `/gateway/auth/apiKeys/${i}/${limit}`,
          `The API key "${id}" has ${limit}, which applies to the role client only`,
          'An operator has access to everything. Give the key the role client only, or remove this.',
        ),
      ),
  );
}

function ports({ server, gateway, temporal }: Config): Finding[] {
  const used: [string, number][] = [['gateway.port', gateway.port]];
  if (temporal.address === undefined) used.push(['server.port', server.port], ['server.uiPort', server.uiPort]);
  return used.flatMap(([key, port], i) => {
    const other = used.slice(0, i).find(([, taken]) => taken === port);
    if (other === undefined || port === 0) return [];
    return [invalid(`/${key.replace('.', '/')}`, `${key} and ${other[0]} are both ${port}`)];
  });
}

function taskConnections({ cache, kafka }: Config): Finding[] {
  const findings: Finding[] = [];
  const url = cache.redis === undefined || !URL.canParse(cache.redis) ? undefined : new URL(cache.redis);
  if (cache.redis !== undefined && url === undefined)
    findings.push(invalid('/cache/redis', 'cache.redis is not a URL'));
  if (url && url.password !== '')
    findings.push(invalid('/cache/redis', 'cache.redis contains a password', 'Move it to cache.redisPassword.'));
  if (kafka.brokers.length > 0 && kafka.connection)
    findings.push(invalid('/kafka', 'kafka needs either brokers or connection, not both'));
  return findings;
}

/** Names of queues of any installation with default names, those of gateways and scenarios, and those that Temporal reserves. */
const reservedQueues = /^(journeyman($|[-.])|gateway-|scenarios-|temporal-sys|\/_sys\/|__temporal_)/;

/** Rejects our own queues, activities and workflows: a journey would reach runs, jobs and requests past every check. */
function allowedTasks({ tasks, temporal: { taskQueue } }: Config): Finding[] {
  const kinds = [
    { name: 'activities', one: 'an activity', isOurs: (type: string) => ownActivityTypes.has(type) },
    { name: 'workflows', one: 'a workflow', isOurs: (type: string) => ownWorkflowTypes.test(type) },
  ] as const;
  const allowed = kinds.flatMap((kind) => Object.entries(tasks[kind.name]).map((entry) => ({ ...kind, entry })));
  return allowed.flatMap(({ name, one, isOurs, entry: [queue, types] }) => {
    const pointer = `/tasks/${name}/${escapePointer(queue)}`;
    // Those of orchestrators are named after it.
    const isOwn = queue === taskQueue || queue.startsWith(`${taskQueue}.`) || reservedQueues.test(queue);
    if (isOwn) return [invalid(pointer, `The task queue "${queue}" is one of Journeyman’s own, or of Temporal’s`)];
    return types.flatMap((type, i) =>
      isOurs(type)
        ? [invalid(`${pointer}/${i}`, `"${type}" is ${one} of Journeyman’s own`, 'Give yours another name.')]
        : [],
    );
  });
}

function timezone({ platform }: Config): Finding[] {
  const fault = zoneFault(platform.timezone);
  return fault ? [invalid('/platform/timezone', fault.message, fault.hint)] : [];
}

function durations({ limits }: Config): Finding[] {
  const { defaultSec = 0, maxSec = Number.POSITIVE_INFINITY } = limits.duration ?? {};
  if (defaultSec <= maxSec) return [];
  return [invalid('/limits/duration/defaultSec', 'limits.duration.defaultSec is greater than limits.duration.maxSec')];
}

function invalid(pointer: string, message: string, hint?: string): Finding {
  return { code: 'CONFIG_VALUE_INVALID', severity: 'error', message, pointer, ...(hint === undefined ? {} : { hint }) };
}
