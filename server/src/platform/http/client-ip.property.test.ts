import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { clientIp, inBlocks, limitKeyOfIp, parseAddress, parseBlock } from './client-ip.ts';

const v4 = fc.ipV4();
const v6 = fc.tuple(...Array.from({ length: 8 }, () => fc.integer({ min: 0, max: 0xffff })));
const written = (groups: number[]): string => groups.map((group) => group.toString(16)).join(':');

test('an IPv4 address is its number', () => {
  fc.assert(
    fc.property(v4, (address) => {
      const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      expect(parseAddress(address)).toEqual({ bits: BigInt(number), v6: false });
      // Written as IPv6 it is the same address (RFC 4291 §2.5.5.2).
      expect(parseAddress(`::ffff:${address}`)).toEqual({ bits: BigInt(number), v6: false });
    }),
  );
});

test('an IPv6 address is its number, long or short, in capitals or in brackets', () => {
  fc.assert(
    fc.property(v6, (groups) => {
      const bits = groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
      const long = written(groups);
      const short = new URL(`http://[${long}]`).hostname;
      for (const form of [long, short, short.slice(1, -1), long.toUpperCase(), `${long}%eth0`])
        expect(parseAddress(form)).toEqual({ bits, v6: true });
    }),
  );
});

test('a block holds exactly the addresses that share its first bits', () => {
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

test('any text is an address, a block or neither, and nothing worse', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-f.:/[\]%]{0,40}$/)), (text) => {
      parseAddress(text);
      const block = parseBlock(text);
      if (block) expect(block.prefix).toBeLessThanOrEqual(block.v6 ? 128 : 32);
      limitKeyOfIp(text);
    }),
  );
});

test('whatever X-Forwarded-For says, a peer that is no proxy of ours is who it is', () => {
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
