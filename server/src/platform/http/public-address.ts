import ipaddr from 'ipaddr.js';
import { type Block, inBlocks, parseAddress, parseBlock } from './client-ip.ts';

const blocks = (...texts: string[]): Block[] => texts.map((text) => parseBlock(text)!);

/** IPv4 ranges that are not public (IANA special-purpose registry, RFC 6890). */
const refusedV4 = blocks(
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
  // Azure's wire server: reachable from virtual machines at an address that looks public.
  '168.63.129.16',
);

/** Only 2000::/3 is global unicast (RFC 4291 §2.4); these are special ranges within it. */
const globalV6 = blocks('2000::/3');
const refusedV6 = blocks(
  '2001::/23', // IETF protocol assignments, Teredo (which wraps an IPv4 address) among them
  '2001:db8::/32',
  '3fff::/20',
);
const sixToFour = blocks('2002::/16');

/** Whether an address is on the public internet. When in doubt, it is not. */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip);
  if (!(address instanceof ipaddr.IPv6)) return address !== null && !inBlocks(address, refusedV4);
  // 6to4 embeds an IPv4 address, which is where packets go.
  if (inBlocks(address, sixToFour)) return !inBlocks(new ipaddr.IPv4(address.toByteArray().slice(2, 6)), refusedV4);
  return inBlocks(address, globalV6) && !inBlocks(address, refusedV6);
}
