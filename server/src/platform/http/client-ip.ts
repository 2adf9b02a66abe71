import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and its prefix length (trusted proxies, allowed addresses of keys). */
export type Block = [Address, number];

/** `isIP` decides what an address is: other parsers also accept `010.1` and `0x7f.1`, and disagree on them. */
export function parseAddress(text: string): Address | null {
  const bare = text
    .trim()
    .replace(/^\[|\]$/g, '')
    .split('%', 1)[0]!;
  const family = isIP(bare);
  if (family === 0) return null;
  // RFC 4291 §2.5.5.2: an IPv4-mapped IPv6 address counts as the IPv4 address, in every notation.
  return ipaddr.process(family === 6 ? withoutDots(bare) : bare);
}

/**
 * RFC 4291 §2.2: the last two groups may be written as IPv4. `ipaddr.js` would read `::1.2.3.4` as `::ffff:1.2.3.4`.
 */
function withoutDots(text: string): string {
  const at = text.lastIndexOf(':') + 1;
  const dotted = text.slice(at);
  if (!dotted.includes('.')) return text;
  const groups = Buffer.from(dotted.split('.').map(Number)).toString('hex');
  return `${text.slice(0, at)}${groups.slice(0, 4)}:${groups.slice(4)}`;
}

/** An address or CIDR block; null if it is neither. */
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

/** Compares the parsed address, not its text: `127.0.0.1.example.com` and `1270.0.0.1` are not loopback. */
export const isLoopbackAddress = (text: string): boolean => parseAddress(text)?.range() === 'loopback';

/** Walks X-Forwarded-For from the right past trusted proxies; the first other address is the caller's. */
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

/** IPv4-mapped addresses are shown, compared and counted as IPv4. */
function plain(ip: string): string {
  if (!ip.includes(':')) return ip;
  // The form in which dual-stack sockets report IPv4 clients.
  if (ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4) return ip.slice(7);
  const parsed = parseAddress(ip);
  return parsed?.kind() === 'ipv4' ? parsed.toString() : ip;
}

/** A household usually owns a /64, so limits per single IPv6 address would be useless. */
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
