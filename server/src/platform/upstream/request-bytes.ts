import { addressOf } from './address.ts';

/** A request to a server. */
export interface LineRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

const name = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const plainValue = /^[\t\x20-\x7e]*$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The same user agent as `fetch`: some vendors refuse requests without one. */
const userAgent = `Bun/${Bun.version}`;

/**
 * Headers set by the connection, overriding the caller's. No compression: answers are small or streamed, and it would
 * delay them.
 */
const ours = new Set(['host', 'accept-encoding', 'connection', 'content-length']);
const common = 'accept-encoding: identity\r\nconnection: keep-alive\r\n';
const changingOver = 'accept-encoding: identity\r\nconnection: Upgrade\r\n';

interface Head {
  url: string;
  method: string;
  text: string;
  /** ASCII only, so that head and body can be written as one string. */
  plain: boolean;
}

/** Serialized heads by their headers object: provider kinds reuse the same one for all requests to a target. */
const heads = new WeakMap<LineRequest['headers'], Head>();

/** A request in wire format (RFC 9112 §3). Throws on header values that contain line breaks. */
export function requestBytes({ url, method, headers, body = '' }: LineRequest): string | Buffer {
  let head = heads.get(headers);
  if (head?.url !== url || head.method !== method) {
    head = headOf(url, method, headers);
    heads.set(headers, head);
  }
  const length = method === 'POST' ? `content-length: ${Buffer.byteLength(body)}\r\n\r\n` : '\r\n';
  // Headers are Latin-1 and bodies UTF-8; for ASCII heads both are written as one string.
  if (head.plain) return head.text + length + body;
  return Buffer.concat([Buffer.from(head.text + length, 'latin1'), Buffer.from(body)]);
}

/** Everything except the body's length and the blank line. */
function headOf(url: string, method: string, headers: LineRequest['headers']): Head {
  const { host, target } = addressOf(url);
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${headers.upgrade === undefined ? common : changingOver}`;
  let plain = true;
  let agent = false;
  let accept = false;
  for (const given in headers) {
    const key = given.toLowerCase();
    if (ours.has(key)) continue;
    const item = headers[given]!;
    if (!plainValue.test(item)) plain = false;
    if (!name.test(key) || !(plain || value.test(item))) throw new TypeError(`header '${key}' has an invalid value`);
    if (key === 'user-agent') agent = true;
    else if (key === 'accept') accept = true;
    text += `${key}: ${item}\r\n`;
  }
  if (!agent) text += `user-agent: ${userAgent}\r\n`;
  if (!accept) text += 'accept: */*\r\n';
  return { url, method, text, plain };
}
