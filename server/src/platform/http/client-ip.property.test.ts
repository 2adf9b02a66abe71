import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { clientIp, inBlocks, limitKeyOfIp, parseAddress, parseBlock } from './client-ip.ts';

const v4 = fc.ipV4();
const v6 = fc.tuple(...Array.from({ length: 8 }, () => fc.integer({ min: 0, max: 0xffff })));
const written = (groups: number[]): string => groups.map((group) => group.toString(16)).join(':');

const numberOf = (text: string) => {
  const address = parseAddress(text);
  return (
    address && {
      bits: BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`),
      v6: address.kind() === 'ipv6',
    }
  );
};

test('an IPv4 address equals its number', () => {
  fc.assert(
    fc.property(v4, (address) => {
      const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      expect(numberOf(address)).toEqual({ bits: BigInt(number), v6: false });
      // Written as IPv6 it is the same address (RFC 4291 §2.5.5.2).
      const groups = `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
      for (const clothes of [
        `::ffff:${address}`,
        `::FFFF:${groups}`,
        `0:0:0:0:0:ffff:${address}`,
        `[::ffff:${groups}]`,
      ]) {
        expect(numberOf(clothes)).toEqual({ bits: BigInt(number), v6: false });
        expect(limitKeyOfIp(clothes)).toBe(address);
        expect(clientIp(clothes, null, [])).toBe(address);
      }
    }),
  );
});

test('an IPv6 address equals its number, long or short, in capitals or in brackets', () => {
  fc.assert(
    fc.property(v6, (groups) => {
      const bits = groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
      const long = written(groups);
      const short = new URL(`http://[${long}]`).hostname;
      const dotted = groups
        .slice(6)
        .flatMap((group) => [group >> 8, group & 0xff])
        .join('.');
      const mixed = `${written(groups.slice(0, 6))}:${dotted}`;
      for (const form of [long, short, short.slice(1, -1), long.toUpperCase(), `${long}%eth0`, mixed])
        expect(numberOf(form)).toEqual({ bits, v6: true });
      // RFC 4291 §2.5.5.1: once a way to carry IPv4 addresses, and never one to be one.
      expect(numberOf(`::${dotted}`)).toEqual({ bits: bits & 0xffff_ffffn, v6: true });
    }),
  );
});

test.each(['010.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '::ffff:010.0.0.1', '::ffff:0x7f.0.0.1', '1.2.3.4::'])(
  'an ambiguous text is not an address: %s',
  (text) => {
    expect(parseAddress(text)).toBeNull();
    expect(parseBlock(`${text}/8`)).toBeNull();
  },
);

test('a block contains exactly the addresses that share its prefix', () => {
  fc.assert(
    fc.property(v6, v6, fc.integer({ min: 0, max: 128 }), fc.boolean(), (one, other, prefix, near) => {
      // Two addresses drawn apart share nothing; near ones share half.
      const second = near ? [...one.slice(0, 4), ...other.slice(4)] : other;
      const binary = (groups: number[]) => groups.map((group) => group.toString(2).padStart(16, '0')).join('');
      const block = parseBlock(`${written(one)}/${prefix}`)!;
      expect(inBlocks(written(second), [block])).toBe(binary(one).slice(0, prefix) === binary(second).slice(0, prefix));
      expect(inBlocks(written(one), [block])).toBe(true);
    }),
  );
});

test('a caller is counted by its exact /64', () => {
  fc.assert(
    fc.property(v6, v6, fc.boolean(), (one, other, near) => {
      const second = near ? [...one.slice(0, 4), ...other.slice(4)] : other;
      // Addresses of the mapped range are IPv4 addresses.
      fc.pre(one.slice(0, 4).some((group) => group > 0) && second.slice(0, 4).some((group) => group > 0));
      const same = written(one.slice(0, 4)) === written(second.slice(0, 4));
      expect(limitKeyOfIp(written(one)) === limitKeyOfIp(written(second).toUpperCase())).toBe(same);
    }),
  );
});

test('any text is an address, a block or neither, without errors', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-f.:/[\]%]{0,40}$/)), (text) => {
      parseAddress(text);
      const block = parseBlock(text);
      if (block) expect(block[1]).toBeLessThanOrEqual(block[0].kind() === 'ipv6' ? 128 : 32);
      limitKeyOfIp(text);
    }),
  );
});

test('the first untrusted hop from the right is the caller, and hops left of it are ignored', () => {
  const trusted = ['10.0.0.0/8', 'fd00::/8'].map((block) => parseBlock(block)!);
  const ours = fc.constantFrom('10.1.2.3', '10.0.0.1', 'fd00::7', '::ffff:10.0.0.9');
  const other = v4.filter((address) => !address.startsWith('10.'));
  const garbage = fc
    .oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '',
        'unknown',
        '_hidden',
        '10.0.0.1:80',
        '[fd00::1]:80',
        '010.0.0.300',
        '10.0.0.1/8',
        'for=1.2.3.4',
      ),
    )
    .filter((text) => !text.includes(',') && parseAddress(text) === null);
  fc.assert(
    fc.property(fc.array(fc.oneof(ours, other, garbage)), fc.boolean(), (hops, spaces) => {
      const fromRight = [...hops].reverse();
      const end = fromRight.findIndex((hop) => !inBlocks(hop, trusted));
      const walked = end < 0 ? fromRight : fromRight.slice(0, end + 1);
      // What is no address tells nothing: then the last proxy that we know is as far as we see.
      const expected = [...walked].reverse().find((hop) => parseAddress(hop) !== null) ?? '10.0.0.1';
      const header = hops.join(spaces ? ' ,  ' : ',');
      expect(clientIp('10.0.0.1', header, trusted)).toBe(clientIp(expected, null, []));
    }),
  );
});

test('X-Forwarded-For of an untrusted peer is ignored', () => {
  const trusted = [parseBlock('10.0.0.0/8')!];
  const stranger = v4.filter((address) => !address.startsWith('10.'));
  fc.assert(
    fc.property(stranger, fc.string({ unit: 'binary' }), (peer, header) => {
      expect(clientIp(peer, header, trusted)).toBe(peer);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), stranger, (forged, caller) => {
      // The last hop was written by our own proxy; what stands before it is anybody's word.
      expect(clientIp('10.0.0.1', `${forged}, ${caller}`, trusted)).toBe(caller);
    }),
  );
});
