import { domainToASCII } from 'node:url';
import type { HttpConfig } from '../../src/config/config.js';
import { refuse } from '../../src/problems/problem.js';
import { type AddressKind, type AddressRange, classify, parseAddress, parseRange, within } from './address.js';

/** Decides what journeys may call. Each answer is undefined for yes, or the reason for no. */
export interface Egress {
  /** Asked before anything is resolved or connected; `target` is `asked` after `http.rewrite`. */
  refusesUrl(asked: URL, target: URL): string | undefined;
  /** Asked about each address that a host's name gave, before connecting to it. */
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
 * The egress policy of a configuration. A host allowed by name may be at a private or loopback address;
 * link-local ones (cloud metadata lives there) and reserved ones must be allowed by address. Targets of `rewrite` count as allowed.
 * `allow` is about the host as a URL writes it, before its name is resolved.
 */
export function createEgress(http: HttpConfig, loopbackAllowed: boolean): Egress {
  const rewritten = Object.values(http.rewrite).map((target) => {
    const url = new URL(target);
    return hostPattern(`${url.hostname}:${portOf(url)}`) as HostPattern;
  });
  const only = patterns(http.egress.allow, '/http/egress/allow');
  const listed = [...only, ...rewritten];
  const inside = [...patterns(http.egress.allowPrivate, '/http/egress/allowPrivate'), ...rewritten];

  const refusesAddress: Egress['refusesAddress'] = (host, port, address) => {
    const bytes = parseAddress(address);
    if (bytes === undefined) return 'the host has no usable address';
    const kind = classify(bytes);
    if (kind === 'public' || (kind === 'loopback' && loopbackAllowed)) return undefined;
    const byName = kind === 'private' || kind === 'loopback';
    const allowed = inside.some((it) => matchesAddress(it, address, port) || (byName && matchesName(it, host, port)));
    return allowed ? undefined : `the host is at ${article[kind]} address`;
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

/** The port a URL stands for, written or not. */
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
  const bytes = parseAddress(address);
  return bytes !== undefined && within(bytes, range);
}
