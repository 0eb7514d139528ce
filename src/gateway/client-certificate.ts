import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { GatewayConfig } from '../config/config.js';

/** The certificate of whoever sent a request, and those that lead to its root, as PEM; undefined where there is none. */
export type ClientCertificate = (request: IncomingMessage) => string | undefined;

/**
 * A proxy that is believed says whose certificate it saw, in a header; its own certificate is not the caller's. From everybody else the
 * header counts for nothing, and the connection tells.
 */
export function clientCertificates({ clientCertificate }: Pick<GatewayConfig, 'clientCertificate'>): ClientCertificate {
  if (!clientCertificate) return ({ socket }) => ofConnection(socket);
  const proxies = rangesOf(clientCertificate.proxies);
  const name = clientCertificate.header.toLowerCase();
  return ({ socket, headers }) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    if (!proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return ofConnection(socket);
    const chain = headers[`${name}-chain`];
    return (
      [headers[name], chain].flatMap((value) => (typeof value === 'string' ? inHeader(value) : [])).join('\n') ||
      undefined
    );
  };
}

/** Addresses and CIDR ranges; refused ones were found when the configuration was read. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** More certificates than this lead nowhere. */
const longest = 8;

function ofConnection(socket: unknown): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const out: string[] = [];
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw && out.length < longest) {
    out.push(pemOf(certificate.raw.toString('base64')));
    // A root names itself as its issuer.
    certificate = certificate.issuerCertificate === certificate ? undefined : certificate.issuerCertificate;
  }
  return out.length === 0 ? undefined : out.join('\n');
}

/** `:base64:` items as RFC 9440 has them, or PEM, percent-encoded so that it fits into a header. */
function inHeader(value: string): string[] {
  const items = [...value.matchAll(/:([A-Za-z0-9+/=]+):/g)].map(([, base64 = '']) => pemOf(base64));
  if (value.trimStart().startsWith(':')) return items;
  try {
    return [decodeURIComponent(value)];
  } catch {
    return [value];
  }
}

function pemOf(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----`;
}
