import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Call, jsonText } from './route.ts';

/** RFC 9110 §12.5.3: whether the coding is listed, and not with q=0. */
export function accepts(request: Request, coding: string): boolean {
  return (request.headers.get('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()))
    .some(([name, weight]) => name === coding && !(weight && Number(weight.replace('q=', '')) === 0));
}

/** Smaller lists take a few packets either way. */
const worthLetters = 16 * 1024;

/** Off the event loop, at a fast level: 1,500 models take some ten milliseconds. */
const compressed = promisify(gzip);

/**
 * `{success: true, data}` for long lists, gzipped if the client accepts it. Not for answers that combine a secret with
 * request input (BREACH).
 */
export async function okCompressed(call: Call, data: unknown): Promise<Response> {
  const text = JSON.stringify({ success: true, data });
  call.headers.vary = 'accept-encoding';
  if (text.length < worthLetters || !accepts(call.request, 'gzip')) return jsonText(call, text);
  const packed = await compressed(text, { level: 4 });
  call.headers['content-encoding'] = 'gzip';
  return jsonText(call, packed);
}

/** A constant document that is expensive to build: built on first use. */
export function compressedDocument(
  make: () => unknown,
  headers: Record<string, string>,
): (request: Request) => Promise<Response> {
  const write = async () => {
    const text = JSON.stringify(make());
    return { text, packed: await compressed(text) };
  };
  let written: ReturnType<typeof write> | undefined;
  const always = { ...headers, 'content-type': 'application/json;charset=utf-8', vary: 'accept-encoding' };
  return async (request) => {
    written ??= write();
    const { text, packed } = await written;
    if (!accepts(request, 'gzip')) return new Response(text, { headers: always });
    return new Response(packed, { headers: { ...always, 'content-encoding': 'gzip' } });
  };
}
