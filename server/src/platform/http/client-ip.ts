import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and how many of its first bits count (trusted proxies, keys' allowed addresses). */
export type Block = [Address, number];

/** `isIP` decides what is an address: others also read `010.1` and `0x7f.1`, and not all of them the same. */
export function parseAddress(text: string): Address | null {
  const bare = text
    .trim()
    .replace(/^\[|\]$/g, '')
    .split('%', 1)[0]!;
  const family = isIP(bare);
  if (family === 0) return null;
  // RFC 4291 §2.5.5.2: an IPv4 address in IPv6 clothes, however they are written, is that IPv4 address.
  return ipaddr.process(family === 6 ? withoutDots(bare) : bare);
}

/** RFC 4291 §2.2: the last two groups may be written as an IPv4 address. `ipaddr.js` takes `::1.2.3.4` for `::ffff:1.2.3.4`. */
function withoutDots(text: string): string {
  const at = text.lastIndexOf(':') + 1;
  const dotted = text.slice(at);
  if (!dotted.includes('.')) return text;
  const groups = Buffer.from(dotted.split('.').map(Number)).toString('hex');
  return `${text.slice(0, at)}${groups.slice(0, 4)}:${groups.slice(4)}`;
}

/** An address or CIDR block; null when it is neither. */
export function parseBlock(text: string): Block | null {
  const [address = '', length, extra] = text.trim().split('/');
  const parsed = parseAddress(address);
  if (!parsed || extra !== undefined) return null;
  const width = parsed.kind() === 'ipv6' ? 128 : 32;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const prefix = length === undefined ? width : Number(length);
  return prefix > width ? null : [parsed, prefix];
}

export function inBlocks(address: Address | string, blocks: Block[]): boolean {
  const parsed = typeof address === 'string' ? parseAddress(address) : address;
  return parsed !== null && blocks.some((block) => parsed.kind() === block[0].kind() && parsed.match(block));
}

/** By its number, never by how it begins: `127.0.0.1.example.com` and `1270.0.0.1` are somebody else's. */
export const isLoopbackAddress = (text: string): boolean => parseAddress(text)?.range() === 'loopback';

/** Walks X-Forwarded-For from the right past proxies we trust; the first other address is the caller's. */
export function clientIp(peer: string, forwardedFor: string | null, trusted: Block[]): string {
  let ip = peer;
  if (forwardedFor === null || trusted.length === 0) return plain(ip);
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  while (hops.length > 0 && inBlocks(ip, trusted)) {
    const hop = hops.pop()!;
    if (!parseAddress(hop)) break;
    ip = hop;
  }
  return plain(ip);
}

/** IPv4 addresses in IPv6 clothes are shown, compared and counted as what they are. */
function plain(ip: string): string {
  if (!ip.includes(':')) return ip;
  // As the system writes everybody who comes over IPv4 where both are listened to.
  if (ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4) return ip.slice(7);
  const parsed = parseAddress(ip);
  return parsed?.kind() === 'ipv4' ? parsed.toString() : ip;
}

/** One household usually owns a /64, so counting single IPv6 addresses would count nothing. */
export function limitKeyOfIp(ip: string): string {
  if (!ip.includes(':')) return ip;
  const parsed = parseAddress(ip);
  if (parsed instanceof ipaddr.IPv6)
    return `v6:${parsed.parts
      .slice(0, 4)
      .map((part) => part.toString(16))
      .join(':')}`;
  return parsed?.toString() ?? ip;
}
