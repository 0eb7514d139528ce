import { isIP } from 'node:net';

/** An address as its 4 or 16 bytes; an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is the IPv4 address it reaches. */
export type AddressBytes = readonly number[];

/** A block of addresses that share their first `bits` bits. */
export interface AddressRange {
  readonly bytes: AddressBytes;
  readonly bits: number;
}

/** How far an address reaches; only `public` ones are open to every journey. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved';

/** The bytes of an IP address, or undefined when `text` is not one. */
export function parseAddress(text: string): AddressBytes | undefined {
  const bare = text.replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 4) return bare.split('.').map(Number);
  if (family !== 6) return undefined;
  const bytes = parseV6(bare);
  return within(bytes, mapped) ? bytes.slice(12) : bytes;
}

/** An address or a CIDR block, or undefined when `text` is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address = '', length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bytes = isIP(address) === 6 ? parseV6(address) : parseAddress(address);
  if (bytes === undefined) return undefined;
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  if (bits > bytes.length * 8) return undefined;
  return within(bytes, mapped) && bits >= 96 ? { bytes: bytes.slice(12), bits: bits - 96 } : { bytes, bits };
}

/** Whether an address lies in a range; never across families. */
export function within(address: AddressBytes, { bytes, bits }: AddressRange): boolean {
  if (address.length !== bytes.length) return false;
  return bytes.every((byte, i) => {
    const left = Math.min(8, Math.max(0, bits - i * 8));
    return (byte ^ (address[i] as number)) >> (8 - left) === 0;
  });
}

/** How far an address reaches. Whatever no registry calls global is refused, so an unknown range never counts as public. */
export function classify(address: AddressBytes): AddressKind {
  if (within(address, nat64)) return classify(address.slice(12));
  const known = table.find(({ range }) => within(address, range));
  if (known) return known.kind;
  return address.length === 4 || within(address, globalUnicast) ? 'public' : 'reserved';
}

function parseV6(text: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = dotted
    ? `${dotted[1]}${pair(dotted[2] as string, dotted[3] as string)}:${pair(dotted[4] as string, dotted[5] as string)}`
    : text;
  const [head = '', tail] = hex.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const gap: number[] = Array(16 - before.length - after.length).fill(0);
  return [...before, ...gap, ...after];
}

function pair(high: string, low: string): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}

function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const mapped: AddressRange = { bytes: parseV6('::ffff:0:0'), bits: 96 };
const nat64 = range('64:ff9b::/96');
const globalUnicast = range('2000::/3');

/** The special ranges, the narrower before the wider. */
const table = (
  [
    // Metadata services that do not live in a link-local range.
    ['link-local', ['168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::254/128']],
    ['link-local', ['169.254.0.0/16', 'fe80::/10']],
    ['loopback', ['127.0.0.0/8', '::1/128']],
    ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15']],
    ['private', ['fc00::/7', 'fec0::/10', '64:ff9b:1::/48']],
    ['reserved', ['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24']],
    ['reserved', ['224.0.0.0/4', '240.0.0.0/4']],
    ['reserved', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']],
  ] as const
).flatMap(([kind, blocks]) => blocks.map((block) => ({ kind, range: range(block) })));

function range(text: string): AddressRange {
  return parseRange(text) as AddressRange;
}
