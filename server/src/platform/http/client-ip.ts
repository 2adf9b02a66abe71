/** Addresses as numbers, for CIDR checks (trusted proxies, keys' allowed addresses). */
export interface Block {
  bits: bigint;
  prefix: number;
  v6: boolean;
}

export function parseAddress(text: string): { bits: bigint; v6: boolean } | null {
  const address = text
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  const v4 = parseV4(mapped?.[1] ?? address);
  if (v4 !== null) return { bits: v4, v6: false };
  const v6 = parseV6(address);
  return v6 === null ? null : { bits: v6, v6: true };
}

function parseV4(text: string): bigint | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return null;
  const parts = match.slice(1).map(Number);
  return parts.every((p) => p < 256) ? parts.reduce((sum, p) => (sum << 8n) | BigInt(p), 0n) : null;
}

function parseV6(text: string): bigint | null {
  if (!/^[0-9a-fA-F:]+$/.test(text)) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = halves[0] ? halves[0].split(':') : [];
  const tail = halves[1] ? halves[1].split(':') : [];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...new Array<string>(halves.length === 2 ? missing : 0).fill('0'), ...tail];
  if (groups.some((g) => !/^[0-9a-fA-F]{1,4}$/.test(g))) return null;
  return groups.reduce((sum, g) => (sum << 16n) | BigInt(Number.parseInt(g, 16)), 0n);
}

/** An address or CIDR block; null when it is neither. */
export function parseBlock(text: string): Block | null {
  const [address, length, extra] = text.trim().split('/');
  const parsed = parseAddress(address ?? '');
  if (!parsed || extra !== undefined) return null;
  const width = parsed.v6 ? 128 : 32;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const prefix = length === undefined ? width : Number(length);
  return prefix > width ? null : { ...parsed, prefix };
}

export function inBlocks(address: string, blocks: Block[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  return blocks.some((block) => {
    if (block.v6 !== parsed.v6) return false;
    const shift = BigInt((block.v6 ? 128 : 32) - block.prefix);
    return block.bits >> shift === parsed.bits >> shift;
  });
}

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

const plain = (ip: string): string => (ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip);

/** One household usually owns a /64, so counting single IPv6 addresses would count nothing. */
export function limitKeyOfIp(ip: string): string {
  if (!ip.includes(':')) return ip;
  const parsed = parseAddress(ip);
  return parsed?.v6 ? `v6:${(parsed.bits >> 64n).toString(16)}` : ip;
}
