import { createHash } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction, SocketAddress } from 'node:net';
import { domainToASCII } from 'node:url';
import { Agent, Pool } from 'undici';
import { refuse } from '../../src/base/problems/problem.js';
import type { HttpConfig } from '../../src/config/config-types.js';
import type { ClientTls } from './outbound-auth-and-signing.js';

/** Decides which hosts journeys may call. Methods return undefined if a call is allowed, or the reason for the refusal. */
export interface Egress {
  /** Checked before the name is resolved; `target` is `asked` after `http.rewrite`. */
  refusesUrl(asked: URL, target: URL): string | undefined;
  /** Checked for each resolved address of a host, before connecting to it. */
  refusesAddress(host: string, port: number, address: string): string | undefined;
}

/** A host of the configuration: a name or `*.` and a name, or an address or range; with or without a port. */
interface HostPattern {
  readonly name?: string;
  readonly range?: AddressRange;
  readonly port?: number;
}

/** Thrown through the connection attempt when every address of a host is refused. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly code = 'EGRESS_REFUSED';
}

/**
 * Creates the egress policy of a configuration. A host that is allowed by name may have a private or loopback address; link-local addresses
 * (used by cloud metadata services) and reserved ones must be allowed by address. Targets of `rewrite` are allowed. On loopback, Journeyman's
 * own ports (gateway, Temporal server, Web UI) must be listed with their port: otherwise any caller that can start a journey could act as an
 * operator there. `allow` applies to the host as written in the URL, before its name is resolved.
 */
export function createEgress(
  http: HttpConfig,
  loopbackAllowed: boolean,
  ownPorts: () => readonly number[] = () => [],
): Egress {
  const rewritten = Object.values(http.rewrite).map((target) => {
    const url = new URL(target);
    return hostPattern(`${url.hostname}:${portOf(url)}`) as HostPattern;
  });
  const only = patterns(http.egress.allow, '/http/egress/allow');
  const listed = [...only, ...rewritten];
  const inside = [...patterns(http.egress.allowPrivate, '/http/egress/allowPrivate'), ...rewritten];

  const refusesAddress: Egress['refusesAddress'] = (host, port, address) => {
    const found = parseAddress(address);
    if (found === undefined) return 'the host has no usable address';
    const kind = classify(found);
    const isOwn = kind === 'loopback' && ownPorts().includes(port);
    if (kind === 'public' || (kind === 'loopback' && loopbackAllowed && !isOwn)) return undefined;
    const byName = kind === 'private' || kind === 'loopback';
    const allowed = inside.some(
      (it) =>
        (!isOwn || it.port !== undefined) &&
        (matchesAddress(it, address, port) || (byName && matchesName(it, host, port))),
    );
    if (allowed) return undefined;
    if (isOwn) return 'the port belongs to Journeyman itself';
    const hint = kind === 'private' ? ', which is not in http.egress.allowPrivate' : '';
    return `the host is at ${article[kind]} address${hint}`;
  };

  return {
    refusesAddress,
    refusesUrl(asked, target) {
      if (asked.protocol !== 'http:' && asked.protocol !== 'https:') return 'only http and https can be called';
      if (asked.username !== '' || asked.password !== '') return 'the URL carries credentials';
      const host = hostOf(target);
      const port = portOf(target);
      if (only.length > 0 && !listed.some((it) => matchesName(it, host, port) || matchesAddress(it, host, port))) {
        return 'the host is not in http.egress.allow';
      }
      return parseAddress(host) === undefined ? undefined : refusesAddress(host, port, host);
    },
  };
}

/** The host of a URL as the policy sees it: without brackets or a trailing dot. */
export function hostOf(url: Pick<URL, 'hostname'>): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The port of a URL, explicit or implied by its scheme. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

const article: Record<Exclude<AddressKind, 'public'>, string> = {
  loopback: 'a loopback',
  private: 'a private',
  'link-local': 'a link-local',
  reserved: 'a reserved',
};

function patterns(entries: readonly string[], pointer: string): HostPattern[] {
  return entries.map(
    (entry, i) =>
      hostPattern(entry) ??
      refuse('CONFIG_VALUE_INVALID', `"${entry}" is not a host, host:port, address or CIDR range`, {
        pointer: `${pointer}/${i}`,
        hint: 'For example api.example.com, *.example.com, 127.0.0.1:9000, [::1]:9000 or 10.1.0.0/16.',
      }),
  );
}

function hostPattern(entry: string): HostPattern | undefined {
  const range = parseRange(entry);
  if (range) return { range };
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]/\s]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port ?? 0) > 65_535) return undefined;
  const at = port === undefined ? {} : { port: Number(port) };
  const address = parseRange(host);
  if (address) return { range: address, ...at };
  const [, wildcard = '', rest = ''] = /^(\*\.)?([^*]+?)\.?$/.exec(host) ?? [];
  const ascii = bracketed === undefined ? domainToASCII(rest) : '';
  return ascii === '' ? undefined : { name: wildcard + ascii, ...at };
}

function matchesName({ name, port }: HostPattern, host: string, at: number): boolean {
  if (name === undefined || (port !== undefined && port !== at)) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name;
}

function matchesAddress({ range, port }: HostPattern, address: string, at: number): boolean {
  if (range === undefined || (port !== undefined && port !== at)) return false;
  const found = parseAddress(address);
  return found !== undefined && isInRange(found, range);
}

type Family = 'ipv4' | 'ipv6';

/** An IP address; an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is the IPv4 address that it reaches. */
interface Address {
  readonly text: string;
  readonly family: Family;
}

/** A block of addresses of one family. */
interface AddressRange {
  readonly list: BlockList;
  readonly family: Family;
}

/** The reach of an address; only `public` ones are open to every journey. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved';

/** Reads an IP address; undefined when `text` is not one. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 4) return { text: bare, family: 'ipv4' };
  if (family !== 6) return undefined;
  // Node normalises the notation of an address.
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1];
  return mapped === undefined ? { text: address, family: 'ipv6' } : { text: mapped, family: 'ipv4' };
}

/** Reads an address or a CIDR block; undefined when `text` is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [, written = '', length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(written);
  if (address === undefined) return undefined;
  const most = isIP(written) === 6 ? 128 : 32;
  const bits = length === undefined ? most : Number(length);
  if (bits > most) return undefined;
  if (most === 32 || address.family === 'ipv6') return rangeOf(address.text, bits, address.family);
  // The block of IPv4-mapped addresses, and any narrower block in it, denotes IPv4 addresses.
  return bits >= 96 ? rangeOf(address.text, bits - 96, 'ipv4') : rangeOf(written, bits, 'ipv6');
}

function rangeOf(text: string, bits: number, family: Family): AddressRange {
  const list = new BlockList();
  list.addSubnet(text, bits, family);
  return { list, family };
}

/** True for an address in a range; never across families. */
export function isInRange({ text, family }: Address, range: AddressRange): boolean {
  return family === range.family && range.list.check(text, family);
}

/** NAT64 maps an IPv4 address to an IPv6 address that ends in it. */
const nat64 = '64:ff9b::';

/** Special ranges by kind; the first kind that contains an address applies. */
const special: readonly (readonly [AddressKind, BlockList])[] = [
  [
    'link-local',
    // The first three are metadata services outside the link-local ranges.
    blocks('168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::254/128', '169.254.0.0/16', 'fe80::/10'),
  ],
  ['loopback', blocks('127.0.0.0/8', '::1/128')],
  [
    'private',
    blocks(
      ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
      ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
    ),
  ],
  [
    'reserved',
    blocks(
      ...['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24'],
      ...['224.0.0.0/4', '240.0.0.0/4'],
      ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
    ),
  ],
];

/** IPv6 addresses that are public unless a special range contains them. */
const global = blocks('2000::/3', `${nat64}/96`);

/** Builds a list of CIDR blocks; an IPv4 block also covers the NAT64 form of its addresses. */
function blocks(...entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address, bits] = entry.split('/') as [string, string];
    const v4 = isIP(address) === 4;
    list.addSubnet(address, Number(bits), v4 ? 'ipv4' : 'ipv6');
    if (v4) list.addSubnet(`${nat64}${address}`, 96 + Number(bits), 'ipv6');
  }
  return list;
}

/** Classifies an address. Addresses that are not registered as global are reserved, so that an unknown range never counts as public. */
export function classify({ text, family }: Address): AddressKind {
  const known = special.find(([, list]) => list.check(text, family));
  if (known) return known[0];
  return family === 'ipv4' || global.check(text, family) ? 'public' : 'reserved';
}

/** Resolves a host's name to its addresses. */
export type ResolveHost = (host: string) => Promise<readonly { address: string; family: number }[]>;

const resolveBySystem: ResolveHost = (host) => systemLookup(host, { all: true });

const connectTimeoutMs = 10_000;

/**
 * Creates a pool of keep-alive connections per origin. Names are resolved here, and sockets are opened only to addresses that the policy has
 * checked, so changing the address of a name between check and use (DNS rebinding) has no effect.
 */
export function createAgent(
  egress: Egress,
  responseLimit: number,
  resolve: ResolveHost = resolveBySystem,
  /** A client certificate, and the authorities to trust instead of the default ones. */
  tls?: { cert: string; key: string; ca?: readonly string[] },
): Agent {
  return new Agent({
    maxResponseSize: responseLimit,
    // The attempt's own timer covers both; with undici's, the limit that was hit would be ambiguous.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory(origin, options) {
      const lookup = guardedLookup(egress, resolve, portOf(new URL(origin)));
      return new Pool(origin, {
        ...options,
        // By default Node tries each address for 250 ms, which is too short for a distant one.
        connect: {
          lookup,
          timeout: connectTimeoutMs,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: 500,
          ...(tls && { ...tls, ...(tls.ca && { ca: [...tls.ca] }) }),
        },
      });
    },
  });
}

function guardedLookup(egress: Egress, resolve: ResolveHost, port: number): LookupFunction {
  return (hostname, options, callback) => {
    const host = hostOf({ hostname });
    resolve(hostname).then(
      (addresses) => {
        const refusals = addresses.map(({ address }) => egress.refusesAddress(host, port, address));
        const admitted = addresses.filter((_, i) => refusals[i] === undefined);
        const [first] = admitted;
        if (first === undefined) {
          callback(new EgressRefused(refusals[0] ?? 'the host has no address'), '', 0);
        } else if (options.all) callback(null, [...admitted]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

/** The most client certificates with open connections; a rotated one closes the oldest. */
const most = 20;

/** Connections with a client certificate, by certificate. */
export class CertifiedConnections {
  private readonly agents = new Map<string, Agent>();

  constructor(private readonly create: (tls: ClientTls) => Agent) {}

  with(tls: ClientTls): Agent {
    const key = createHash('sha256').update(JSON.stringify(tls)).digest('base64url');
    const agent = this.agents.get(key) ?? this.create(tls);
    this.agents.delete(key);
    this.agents.set(key, agent);
    const [oldest] = this.agents;
    if (this.agents.size > most && oldest) {
      this.agents.delete(oldest[0]);
      void oldest[1].close();
    }
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.close()));
  }
}
