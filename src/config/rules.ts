import { isIP } from 'node:net';
import type { Finding } from '../problems/problem.js';
import { zoneFault } from '../time/zone-names.js';
import type { Config } from './config.js';
import { checkOrchestrators } from './orchestrators.js';
import { scryptFault } from './scrypt.js';

/** What the schema cannot say: rules between keys. */
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
  ];
}

/** What works and may be intended, but opens something to others. */
export function checkDoubts({
  server,
  temporal,
  gateway,
  plugins,
}: Pick<Config, 'server' | 'temporal' | 'gateway' | 'plugins'>): Finding[] {
  const doubts: Finding[] = [];
  if (temporal.address === undefined && !isLoopback(server.ip)) {
    doubts.push({
      ...unsafe('/server/ip', `server.ip ${server.ip}: the embedded server asks nobody who they are`),
      hint: 'Whoever reaches it can read and change every run. Bind it to 127.0.0.1, or keep others out by other means.',
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
      hint: 'Whoever is between the gateway and it can have any token accepted. Use https.',
    });
  }
  return doubts;
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
      message: `gateway.host ${gateway.host} is reachable from other machines, but nobody needs to authenticate`,
      pointer: '/gateway/host',
      hint: 'Configure gateway.auth (apiKeys or jwt), or bind to 127.0.0.1.',
    },
  ];
}

/** Whether the gateway asks callers who they are. */
export function hasAuthentication(auth: Config['gateway']['auth']): boolean {
  return auth.apiKeys.length > 0 || auth.jwt !== undefined;
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  return isIP(bare) === 4 && bare.startsWith('127.');
}

function jwtKeys({ gateway: { auth } }: Config): Finding[] {
  if (auth.jwt === undefined || (auth.jwt.jwksUri === undefined) !== (auth.jwt.keys === undefined)) return [];
  return [invalid('/gateway/auth/jwt', 'gateway.auth.jwt needs either jwksUri or keys, and not both')];
}

/** Whoever checks a token needs no secret for it, and the file is no place for one. */
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
        ? [invalid(`${pointer}/keys/${i}`, 'The key is secret', 'Give the public key only, without "d" or "k".')]
        : [],
    ),
  );
}

function gatewayTls({ gateway: { tls, clientCertificate } }: Config): Finding[] {
  const findings = (clientCertificate?.proxies ?? []).flatMap((range, i) =>
    isRange(range)
      ? []
      : [invalid(`/gateway/clientCertificate/proxies/${i}`, `"${range}" is no address and no CIDR range`)],
  );
  if (tls?.clientCertificates === 'required' && tls.clientCaFile === undefined)
    findings.push(
      invalid(
        '/gateway/tls/clientCaFile',
        'gateway.tls.clientCertificates: required needs clientCaFile, who issues them',
      ),
    );
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
            `The profile "${name}" needs either jwksUri or keys, and not both`,
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
        `The API keys "${first}" and "${id}" have the same hash, so nobody can tell which of them is meant`,
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

/** Hashes that no key can be compared with, or only at a price that stalls the gateway. */
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

/** A limit that nothing enforces would be worse than none. */
function limitedKeys({ gateway: { auth } }: Config): Finding[] {
  return auth.apiKeys.flatMap(({ id, roles, ...key }, i) =>
    (['journeys', 'actions', 'runs'] as const)
      .filter((limit) => key[limit] !== undefined && (!roles.includes('client') || roles.includes('operator')))
      .map((limit) =>
        invalid(
          `/gateway/auth/apiKeys/${i}/${limit}`,
          `The API key "${id}" has ${limit}, which is for the role client alone`,
          'An operator reaches everything. Give the key the role client only, or leave this out.',
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
    findings.push(invalid('/cache/redis', 'cache.redis holds a password', 'Put it under cache.redisPassword.'));
  if (kafka.brokers.length > 0 && kafka.connection)
    findings.push(invalid('/kafka', 'kafka needs either brokers or connection, and not both'));
  return findings;
}

function timezone({ platform }: Config): Finding[] {
  const fault = zoneFault(platform.timezone);
  return fault ? [invalid('/platform/timezone', fault.message, fault.hint)] : [];
}

function durations({ limits }: Config): Finding[] {
  const { defaultSec = 0, maxSec = Number.POSITIVE_INFINITY } = limits.duration ?? {};
  if (defaultSec <= maxSec) return [];
  return [invalid('/limits/duration/defaultSec', 'limits.duration.defaultSec is above limits.duration.maxSec')];
}

function invalid(pointer: string, message: string, hint?: string): Finding {
  return { code: 'CONFIG_VALUE_INVALID', severity: 'error', message, pointer, ...(hint === undefined ? {} : { hint }) };
}
