import { isIP } from 'node:net';

/** IPv4 ranges that are not somebody else's server on the internet (IANA special-purpose registry, RFC 6890). */
const refusedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's wire server answers virtual machines here, with an address that is public by its number.
  '168.63.129.16/32',
].map(rangeOf);

/** Only 2000::/3 is given out as global unicast (RFC 4291 §2.4); within it these are special. */
const globalV6 = rangeOf('2000::/3');
const refusedV6 = [
  '2001::/23', // IETF protocol assignments, Teredo (which wraps an IPv4 address) among them
  '2001:db8::/32',
  '3fff::/20',
].map(rangeOf);
/** Wrap an IPv4 address, which is then the one that is reached. */
const mappedV4 = rangeOf('::ffff:0:0/96');
const sixToFour = rangeOf('2002::/16');

interface Range {
  first: bigint;
  bits: number;
  width: 32 | 128;
}

/** Whether an address, as written by a resolver or a URL, belongs to the open internet. Anything unclear is not public. */
export function isPublicAddress(ip: string): boolean {
  const bare = ip.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 4) return isPublicV4(v4Number(bare));
  if (family !== 6) return false;
  const value = v6Number(bare);
  if (contains(mappedV4, value)) return isPublicV4(value & 0xffff_ffffn);
  if (contains(sixToFour, value)) return isPublicV4((value >> 80n) & 0xffff_ffffn);
  return contains(globalV6, value) && !refusedV6.some((range) => contains(range, value));
}

const isPublicV4 = (value: bigint): boolean => !refusedV4.some((range) => contains(range, value));

const contains = (range: Range, value: bigint): boolean => {
  const shift = BigInt(range.width - range.bits);
  return range.first >> shift === value >> shift;
};

function rangeOf(cidr: string): Range {
  const [address = '', bits] = cidr.split('/');
  const v4 = isIP(address) === 4;
  return { first: v4 ? v4Number(address) : v6Number(address), bits: Number(bits), width: v4 ? 32 : 128 };
}

function v4Number(address: string): bigint {
  return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function v6Number(address: string): bigint {
  // The URL parser writes a dotted tail (`::ffff:127.0.0.1`) as hexadecimal groups.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...front, ...Array(8 - front.length - back.length).fill('0'), ...back];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
