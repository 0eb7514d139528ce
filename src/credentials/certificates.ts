import { X509Certificate } from 'node:crypto';
import { Certificate, CertificateChainValidationEngine, CertificateRevocationList } from 'pkijs';
import type { MtlsProfile } from '../config/config.js';
import { BadCredential } from './bad-credential.js';

/** Which certificates are taken. All filters that are given must match. */
export interface CertificateRules extends Omit<MtlsProfile, 'trustAnchors' | 'revocationFiles'> {
  /** PEM of the roots. */
  readonly trustAnchors: readonly string[];
  /** PEM or DER of revocation lists; none: revocation is not checked. */
  readonly revocations?: readonly Uint8Array[];
}

/** What a valid certificate says about its holder. */
export interface CertifiedCaller {
  readonly subjectDn: string;
  readonly issuerDn: string;
  readonly fingerprintSha256: string;
}

/** Trust anchors, or revocation lists, that cannot be read. */
export class AnchorsUnusable extends Error {
  override readonly name = 'AnchorsUnusable';
}

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
/** What the validation says about a certificate that is on a revocation list. */
const revoked = 12;
/** A chain longer than this is nobody's: each of its certificates costs a signature to check. */
const longestChain = 8;

/** Checks a chain of PEM certificates, the caller's own first, at an instant. Throws BadCredential or AnchorsUnusable. */
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
    // It is the caller's, and says nothing about us.
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
    // The validation takes the last one for the caller's.
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
  // Without a filter nobody in particular is allowed, unless everybody is.
  if (!allowSubjects && !allowSans && !allowSerials && allowAnyFromTrusted !== true)
    throw new BadCredential('MTLS_SUBJECT_DENIED');
}

/** A name as RFC 4514 writes it, the most specific part first; Node gives one part a line, in the order of the certificate. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').reverse().join(',');
}

/** The same for names that differ only in the case of attribute types and in spaces around separators. */
function normalName(name: string): string {
  return name
    .split(/(?<!\\),/)
    .map((part) => {
      const at = part.indexOf('=');
      return `${part.slice(0, at).trim().toUpperCase()}=${part.slice(at + 1).trim()}`;
    })
    .join(',');
}

/** Serial numbers are written with and without colons, `0x` and leading zeros. */
function normalSerial(serial: string): string {
  return serial
    .toLowerCase()
    .replace(/^0x/, '')
    .replace(/[:\s]/g, '')
    .replace(/^0+(?=.)/, '');
}

/** Every name that an entry gives must stand on the certificate. */
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

/** `DNS:a, URI:"b, c", IP Address:d`; what could be mistaken for a separator is quoted as JSON. */
function alternativeNames(text: string): { kind: string; value: string }[] {
  return [
    ...text.matchAll(/(DNS|URI|IP Address|email|Registered ID|othername|DirName):("(?:[^"\\]|\\.)*"|[^,]*)/g),
  ].map(([, kind = '', value = '']) => ({
    kind,
    value: value.startsWith('"') ? (JSON.parse(value) as string) : value,
  }));
}
