import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressBytes,
  type AddressKind,
  classify,
  parseAddress,
  parseRange,
  within,
} from '../../../../activities/http-call/address.js';

function kind(text: string): AddressKind {
  return classify(parseAddress(text) as AddressBytes);
}

describe('how far an address reaches', () => {
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

  it('agrees with how Node reads ranges, for any address and any range', () => {
    const v4 = fc.ipV4();
    const v6 = fc.ipV6();
    const pairs = fc.oneof(
      fc.record({ a: v4, b: v4, bits: fc.integer({ min: 0, max: 32 }), family: fc.constant('ipv4' as const) }),
      fc.record({ a: v6, b: v6, bits: fc.integer({ min: 0, max: 128 }), family: fc.constant('ipv6' as const) }),
    );
    fc.assert(
      fc.property(pairs, ({ a, b, bits, family }) => {
        const list = new BlockList();
        list.addSubnet(b, bits, family);
        const range = parseRange(`${b}/${bits}`);
        const bytes = parseAddress(a);
        fc.pre(
          range !== undefined && bytes?.length === (family === 'ipv4' ? 4 : 16) && range.bytes.length === bytes.length,
        );
        expect(within(bytes as AddressBytes, range as NonNullable<typeof range>)).toBe(list.check(a, family));
        expect(within(parseAddress(b) as AddressBytes, range as NonNullable<typeof range>)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same for an IPv4 address and its IPv6 spellings', () => {
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

  it('no IPv6 address outside 2000::/3 is public, unless it stands for an IPv4 one', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const bytes = parseAddress(address) as AddressBytes;
        fc.pre(bytes.length === 16 && (bytes[0] as number) >> 5 !== 1 && bytes[1] !== 0x64);
        expect(classify(bytes)).not.toBe('public');
      }),
    );
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.4/33', '::/129', '10.0.0.0/', '1.2.3.4.5', 'fe80::1%eth0/64'])(
    '"%s" is no range',
    (text) => expect(parseRange(text)).toBeUndefined(),
  );
});
