import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseBlock } from './client-ip.ts';
import { checkedUrl } from './outgoing.ts';
import { isPublicAddress } from './public-address.ts';

/** Of every block that is somebody's own: any address, in any clothes and any way of writing it. */
const ownBlocks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];
const ownAddress = fc.tuple(fc.constantFrom(...ownBlocks), fc.nat(0xffff_ffff)).map(([text, random]) => {
  const [address, prefix] = parseBlock(text)!;
  const hosts = 2 ** (32 - prefix);
  return Buffer.from(address.toByteArray()).readUInt32BE() + (random % hosts);
});
const bytesOf = (number: number): number[] => [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
const hexGroups = (number: number): string => `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;

test('a private address is recognised in every form: mapped, translated, tunnelled', () => {
  fc.assert(
    fc.property(ownAddress, fc.nat(0xffff), (number, tail) => {
      const dotted = bytesOf(number).join('.');
      const hex = hexGroups(number);
      const forms = [
        ...[dotted, `::ffff:${dotted}`, `::ffff:${hex}`, `::FFFF:${hex}`, `::${dotted}`, `::ffff:0:${dotted}`],
        ...[`64:ff9b::${dotted}`, `64:ff9b:1::${hex}`, `2002:${hex}::${tail.toString(16)}`, `2001:0:${hex}::1`],
        ...[`fe80::${hex}`, `fd00::${hex}`, `ff02::${hex}`, `fe80::5efe:${hex}%eth0`],
      ];
      for (const form of forms) expect([form, isPublicAddress(form)]).toEqual([form, false]);
    }),
  );
});

test('a private address in a URL is recognised in every notation', () => {
  fc.assert(
    fc.property(ownAddress, (number) => {
      const bytes = bytesOf(number);
      const hosts = [
        ...[`${number}`, `0x${number.toString(16)}`, `0${number.toString(8)}`],
        ...[
          bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
          bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
        ],
        ...[`${bytes[0]}.${number & 0xffffff}`, `${bytes[0]}.${bytes[1]}.${number & 0xffff}`],
        ...[`${bytes.join('.')}.`, bytes.join('。'), bytes.join('%2e'), `[::ffff:${bytes.join('.')}]`],
      ];
      for (const host of hosts) expect(() => checkedUrl(`http://${host}/`, { allowPrivate: false })).toThrow('public');
    }),
  );
});

describe('public', () => {
  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '[2a00:1450:4001::8a]',
    '::ffff:1.1.1.1',
    '2002:101:101::1',
  ])('%s', (ip) => expect(isPublicAddress(ip)).toBe(true));
});

describe('not public', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::127.0.0.1',
    '::1.1.1.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::ffff:0:10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::101:101',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2002:c0a8:101::1',
    '3fff::1',
    '4000::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('%s', (ip) => expect(isPublicAddress(ip)).toBe(false));

  test.each(['', 'localhost', 'example.com', '1.1.1', '1.1.1.1.1', '01.1.1.1', '256.1.1.1', ':::1', '1.1.1.1/8'])(
    'not an address: %p',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );
});
