import type { UpstreamRequest } from '../providers/kind.ts';
import { addressOf } from './address.ts';

const name = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const plainValue = /^[\t\x20-\x7e]*$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/** As `fetch` names itself: vendors refuse callers without a name. */
const userAgent = `Bun/${Bun.version}`;

/** Said by the connection, whatever the caller says. Answers are small or come in pieces: packing them would only hold them up. */
const ours = new Set(['host', 'accept-encoding', 'connection', 'content-length']);
const common = 'accept-encoding: identity\r\nconnection: keep-alive\r\n';

/** A request as it goes over the wire (RFC 9112 §3). Throws on headers that would end their line. */
export function requestBytes({ url, method, headers, body = '' }: UpstreamRequest & { body?: string }): Buffer {
  const { host, target } = addressOf(url);
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${common}`;
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
    head += `${key}: ${item}\r\n`;
  }
  if (!agent) head += `user-agent: ${userAgent}\r\n`;
  if (!accept) head += 'accept: */*\r\n';
  if (method === 'POST') head += `content-length: ${Buffer.byteLength(body)}\r\n`;
  // Headers are bytes and bodies UTF-8; where that makes no difference both are written at once.
  if (plain) return Buffer.from(`${head}\r\n${body}`);
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), Buffer.from(body)]);
}
