import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { Certificate, CertificateChainValidationEngine, CertificateRevocationList } from 'pkijs';
import type { GatewayConfig, MtlsProfile } from '../../config/config-types.js';
import { BadCredential } from './bad-credential.js';

/** Returns the caller's certificate chain as PEM; undefined if there is none. */
export type ClientCertificate = (request: IncomingMessage) => string | undefined;

/**
 * Reads client certificates: from a header if the peer is a trusted proxy, otherwise from the connection. The header is ignored from
 * other peers.
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

/** Builds a list of addresses and CIDR ranges, which the configuration has validated. */
function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Maximum length of a chain. */
const longest = 8;

function ofConnection(socket: unknown): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const out: string[] = [];
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw && out.length < longest) {
    out.push(pemOf(certificate.raw.toString('base64')));
    // A root is its own issuer.
    certificate = certificate.issuerCertificate === certificate ? undefined : certificate.issuerCertificate;
  }
  return out.length === 0 ? undefined : out.join('\n');
}

/** Parses `:base64:` items (RFC 9440) or percent-encoded PEM. */
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

/** Rules for accepted certificates. All given filters must match. */
export interface CertificateRules extends Omit<MtlsProfile, 'trustAnchors' | 'revocationFiles'> {
  /** PEM of the roots. */
  readonly trustAnchors: readonly string[];
  /** PEM or DER of revocation lists; without any, revocation is not checked. */
  readonly revocations?: readonly Uint8Array[];
}

/** The holder of a valid certificate. */
export interface CertifiedCaller {
  readonly subjectDn: string;
  readonly issuerDn: string;
  readonly fingerprintSha256: string;
}

/** Unreadable trust anchors or revocation lists. */
export class AnchorsUnusable extends Error {
  override readonly name = 'AnchorsUnusable';
}

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
/** Result code of the validation for a revoked certificate. */
const revoked = 12;
/** Maximum length of a chain: each certificate costs a signature check. */
const longestChain = 8;

/** Verifies a chain of PEM certificates, the caller's own first. Throws BadCredential or AnchorsUnusable. */
export async function checkCertificate(pem: string, rules: CertificateRules, now: Date): Promise<CertifiedCaller> {
  const anchors = readAnchors(rules.trustAnchors);
  const chain = readChain(pem);
  const [own] = chain as [X509Certificate, ...X509Certificate[]];
  await checkChain(chain, anchors, rules.revocations ?? [], now);
  const usage = own.keyUsage;
  if (usage !== undefined && !usage.includes(clientAuth) && !usage.includes(anyUsage))
    throw new BadCredential('MTLS_CERT_UNTRUSTED');
  checkFilters(own, rules);
  return {
    subjectDn: distinguishedName(own.subject),
    issuerDn: distinguishedName(own.issuer),
    fingerprintSha256: own.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** The certificates in a PEM text. */
function certificatesIn(pem: string): X509Certificate[] {
  return (pem.match(block) ?? []).map((one) => new X509Certificate(one));
}

function readAnchors(pems: readonly string[]): X509Certificate[] {
  try {
    const anchors = pems.flatMap(certificatesIn);
    if (anchors.length > 0) return anchors;
  } catch (error) {
    throw new AnchorsUnusable('A trust anchor cannot be read.', { cause: error });
  }
  throw new AnchorsUnusable('There is no trust anchor.');
}

function readChain(pem: string): X509Certificate[] {
  try {
    const chain = certificatesIn(pem);
    if (chain.length > 0 && chain.length <= longestChain) return chain;
  } catch {
    // Reported below as the caller's error.
  }
  throw new BadCredential('MTLS_CERT_UNPARSEABLE');
}

async function checkChain(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  revocations: readonly Uint8Array[],
  now: Date,
): Promise<void> {
  const crls = revocations.map(readRevocations);
  let certs: Certificate[];
  try {
    // The validation expects the caller's certificate last.
    certs = chain.map(parsed).reverse();
  } catch {
    throw new BadCredential('MTLS_CERT_UNPARSEABLE');
  }
  const engine = new CertificateChainValidationEngine({
    certs,
    trustedCerts: anchors.map(parsed),
    crls,
    checkDate: now,
  });
  const { result, resultCode, certificatePath = [] } = await engine.verify();
  if (!result) throw new BadCredential(resultCode === revoked ? 'MTLS_CERT_REVOKED' : 'MTLS_CERT_UNTRUSTED');
  if (certificatePath[0] !== certs.at(-1)) throw new BadCredential('MTLS_CERT_UNTRUSTED');
}

function parsed({ raw }: X509Certificate): Certificate {
  return Certificate.fromBER(new Uint8Array(raw));
}

function readRevocations(bytes: Uint8Array): CertificateRevocationList {
  const text = Buffer.from(bytes).toString('latin1');
  const pem = /-----BEGIN X509 CRL-----([\s\S]+?)-----END X509 CRL-----/.exec(text)?.[1];
  try {
    return CertificateRevocationList.fromBER(
      pem === undefined ? new Uint8Array(bytes) : new Uint8Array(Buffer.from(pem, 'base64')),
    );
  } catch (error) {
    throw new AnchorsUnusable('A revocation list cannot be read.', { cause: error });
  }
}

function checkFilters(own: X509Certificate, rules: CertificateRules): void {
  const { allowSubjects, allowSans, allowSerials, allowAnyFromTrusted } = rules;
  if (allowSubjects) {
    const subject = normalName(distinguishedName(own.subject));
    if (!allowSubjects.some((allowed) => normalName(allowed) === subject))
      throw new BadCredential('MTLS_SUBJECT_DENIED');
  }
  if (allowSans && !allowSans.some((allowed) => matchesSan(own, allowed))) throw new BadCredential('MTLS_SAN_DENIED');
  if (allowSerials) {
    const serial = normalSerial(own.serialNumber);
    if (!allowSerials.some((allowed) => normalSerial(allowed) === serial))
      throw new BadCredential('MTLS_SERIAL_DENIED');
  }
  // Without filters, nobody is allowed unless allowAnyFromTrusted is set.
  if (!allowSubjects && !allowSans && !allowSerials && allowAnyFromTrusted !== true)
    throw new BadCredential('MTLS_SUBJECT_DENIED');
}

/** Formats a name by RFC 4514, the most specific part first; Node returns one part per line, in the order of the certificate. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').reverse().join(',');
}

/** Normalizes the case of attribute types and spaces around separators. */
function normalName(name: string): string {
  return name
    .split(/(?<!\\),/)
    .map((part) => {
      const at = part.indexOf('=');
      return `${part.slice(0, at).trim().toUpperCase()}=${part.slice(at + 1).trim()}`;
    })
    .join(',');
}

/** Normalizes a serial number: removes colons, `0x` and leading zeros. */
function normalSerial(serial: string): string {
  return serial
    .toLowerCase()
    .replace(/^0x/, '')
    .replace(/[:\s]/g, '')
    .replace(/^0+(?=.)/, '');
}

/** Reports whether the certificate contains every name of an entry. */
function matchesSan(
  { subjectAltName }: X509Certificate,
  { dns, ip, uri }: NonNullable<CertificateRules['allowSans']>[number],
): boolean {
  const names = alternativeNames(subjectAltName ?? '');
  const has = (kind: string, wanted: string | undefined, same: (text: string) => string) =>
    wanted === undefined || names.some((name) => name.kind === kind && same(name.value) === same(wanted));
  return (
    has('DNS', dns, (text) => text.toLowerCase()) &&
    has('IP Address', ip, (text) => text.toLowerCase()) &&
    has('URI', uri, (text) => text)
  );
}

/** Parses `DNS:a, URI:"b, c", IP Address:d`; values with separators are quoted as JSON. */
function alternativeNames(text: string): { kind: string; value: string }[] {
  return [
    ...text.matchAll(/(DNS|URI|IP Address|email|Registered ID|othername|DirName):("(?:[^"\\]|\\.)*"|[^,]*)/g),
  ].map(([, kind = '', value = '']) => ({
    kind,
    value: value.startsWith('"') ? (JSON.parse(value) as string) : value,
  }));
}
