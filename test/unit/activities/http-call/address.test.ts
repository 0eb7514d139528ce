import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressKind,
  classify,
  isInRange,
  parseAddress,
  parseRange,
} from '../../../../activities/http-call/egress-policy.js';

function kind(text: string): AddressKind {
  return classify(parseAddress(text)!);
}

describe('kinds of addresses', () => {
  it.each<[string, AddressKind]>([
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:ffff:7f00:1', 'loopback'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['fd12:3456::1', 'private'],
    ['fc00::1', 'private'],
    ['fec0::1', 'private'],
    ['::ffff:10.1.2.3', 'private'],
    ['64:ff9b:1::1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['fd00:ec2::254', 'link-local'],
    ['168.63.129.16', 'link-local'],
    ['100.100.100.200', 'link-local'],
    ['0.0.0.0', 'reserved'],
    ['0.1.2.3', 'reserved'],
    ['::', 'reserved'],
    ['::7f00:1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['239.255.255.255', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['ff02::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['4000::1', 'reserved'],
  ])('%s is %s', (address, expected) => expect(kind(address)).toBe(expected));

  it('a range contains addresses of the other family only if they map to one of its own', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), (v4, v6) => {
        const [four, six] = [parseAddress(v4)!, parseAddress(v6)!];
        expect(isInRange(four, parseRange('0.0.0.0/0')!)).toBe(true);
        expect(isInRange(four, parseRange('::/0')!)).toBe(false);
        expect(isInRange(parseAddress(`::ffff:${v4}`)!, parseRange('0.0.0.0/0')!)).toBe(true);
        expect(isInRange(four, parseRange(`::ffff:${v4}`)!)).toBe(true);
        expect(isInRange(four, parseRange('::ffff:0:0/96')!)).toBe(true);
        expect(isInRange(four, parseRange('::ffff:0:0/95')!)).toBe(false);
        expect(isInRange(six, parseRange('::/0')!)).toBe(six.family === 'ipv6');
        expect(isInRange(six, parseRange('0.0.0.0/0')!)).toBe(six.family === 'ipv4');
        expect(isInRange(six, parseRange(v6)!)).toBe(true);
      }),
    );
  });

  it('a range of any length contains the addresses with the same prefix', () => {
    const bits = (address: string) =>
      address
        .split('.')
        .map((it) => Number(it).toString(2).padStart(8, '0'))
        .join('');
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (a, b, length) => {
        const shared = bits(a).slice(0, length) === bits(b).slice(0, length);
        expect(isInRange(parseAddress(a)!, parseRange(`${b}/${length}`)!)).toBe(shared);
      }),
      { numRuns: 500 },
    );
  });

  it('the kind is the same for an IPv4 address and its IPv6 spellings', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        expect(kind(`::ffff:${address}`)).toBe(kind(address));
        expect(kind(`::FFFF:${hex}`)).toBe(kind(address));
        expect(kind(`64:ff9b::${hex}`)).toBe(kind(address));
      }),
    );
  });

  it('IPv6 addresses outside 2000::/3 are not public, unless they map to a public IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const found = parseAddress(address)!;
        const first = Number.parseInt(found.text.split(':')[0] || '0', 16);
        fc.pre(found.family === 'ipv6' && first >> 13 !== 1 && first !== 0x64);
        expect(classify(found)).not.toBe('public');
      }),
    );
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.4/33', '::/129', '10.0.0.0/', '1.2.3.4.5', 'fe80::1%eth0/64'])(
    '"%s" is not a valid range',
    (text) => expect(parseRange(text)).toBeUndefined(),
  );
});
