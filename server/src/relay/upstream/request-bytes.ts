import type { UpstreamRequest } from '../providers/kind.ts';

const name = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/** As `fetch` names itself: vendors refuse callers without a name. */
const userAgent = `Bun/${Bun.version}`;

/** A request as it goes over the wire (RFC 9112 §3). Throws on headers that would end their line. */
export function requestBytes({ url, method, headers, body }: UpstreamRequest & { body?: string }): Buffer {
  const { host, pathname, search } = new URL(url);
  const payload = Buffer.from(body ?? '');
  const all: Record<string, string> = { host, 'user-agent': userAgent, accept: '*/*', ...lowerCase(headers) };
  // Events are small and come one by one: packing them would only hold them up.
  all['accept-encoding'] = 'identity';
  all.connection = 'keep-alive';
  if (method === 'POST') all['content-length'] = String(payload.length);
  let head = `${method} ${pathname}${search} HTTP/1.1\r\n`;
  for (const key in all) {
    if (!name.test(key) || !value.test(all[key]!)) throw new TypeError(`header '${key}' has an invalid value`);
    head += `${key}: ${all[key]}\r\n`;
  }
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), payload]);
}

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([key, item]) => [key.toLowerCase(), item]));
