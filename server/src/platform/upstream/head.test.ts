import { expect, test } from 'bun:test';
import { parseHead } from './head.ts';
import { requestBytes } from './request-bytes.ts';

const head = (...lines: string[]) => parseHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'));

test('a head has a status, headers and how its body ends', () => {
  const { status, headers, framing, keepMs } = parseHead(
    'HTTP/1.1 429 Too Many\r\nRetry-After:  7 \r\nSet-Cookie: a=b\r\ncontent-length: 12',
  );
  expect({ status, framing, keepMs, retry: headers.get('retry-after') }).toEqual({
    status: 429,
    framing: 12,
    keepMs: Number.POSITIVE_INFINITY,
    retry: '7',
  });
  expect(head('Transfer-Encoding: Chunked').framing).toBe('chunked');
  expect(head()).toMatchObject({ framing: 'close', keepMs: 0 });
  expect(parseHead('HTTP/1.1 204 No Content').framing).toBe(0);
  expect(parseHead('HTTP/1.1 200').status).toBe(200);
});

test('all headers can be read case-insensitively, and repeated ones are joined', () => {
  const { headers, framing, encoding } = head(
    'X-One: 1',
    'CONTENT-Length: 3',
    'x-one:2',
    'Content-Encoding: gzip',
    'x:',
  );
  expect({ framing, encoding, ones: headers.get('x-one'), empty: headers.get('x') }).toEqual({
    framing: 3,
    encoding: 'gzip',
    ones: '1, 2',
    empty: '',
  });
  expect(head('content-length: 4', 'content-length: 4').framing).toBe(4);
  expect(head('x-content-length: 4').framing).toBe('close');
  expect(head('cONTENT-lENGTH: 5').framing).toBe(5);
  for (const other of ['content_length', 'content-lengtx', 'contentMlength', '#ontent-length'])
    expect(head(`${other}: 4`).framing).toBe('close');
});

test('a connection is kept only if that is safe', () => {
  expect(head('content-length: 1', 'Connection: Close').keepMs).toBe(0);
  expect(head('content-length: 1', 'transfer-encoding: chunked')).toMatchObject({
    framing: 'chunked',
    keepMs: 0,
  });
  expect(parseHead('HTTP/1.0 200 OK\r\ncontent-length: 1').keepMs).toBe(0);
  const kept = (said: string) => head('content-length: 1', `Keep-Alive: ${said}`).keepMs;
  expect(['timeout=5, max=1000', 'max=9,timeout=60', 'timeout=1', 'timeout=0'].map(kept)).toEqual([
    4_000, 59_000, 0, 0,
  ]);
  expect(['max=9', 'xtimeout=5', 'timeout=-1', ''].map(kept)).toEqual(Array(4).fill(Number.POSITIVE_INFINITY));
});

test.each([
  ['HTTP/2 200'],
  ['ICY 200 OK'],
  ['HTTP/1.1 20 OK'],
  ['HTTP/1.1 200 OK\r\nno colon'],
  ['HTTP/1.1 200 OK\r\n: no name'],
  ['HTTP/1.1 200 OK\r\nx: a\nb'],
  ['HTTP/1.1 200 OK\r\nx: a\0'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1, 2'],
  ['HTTP/1.1 200 OK\r\n folded: line'],
  ['HTTP/1.1 200 OK\r\nbad name: x'],
  ['HTTP/1.1 200 OK\r\ncontent-length: -1'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked'],
])('%j is rejected', (text) => {
  expect(() => parseHead(text)).toThrow();
});

test('a request is written correctly', () => {
  const text = requestBytes({
    url: 'http://[::1]:8080/v1/chat?a=b%20c',
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer x' },
    body: '{"é":1}',
  }).toString();
  expect(text.startsWith('POST /v1/chat?a=b%20c HTTP/1.1\r\nhost: [::1]:8080\r\n')).toBe(true);
  expect(text.endsWith('content-length: 8\r\n\r\n{"é":1}')).toBe(true);
  expect(text).toContain('\r\nauthorization: Bearer x\r\n');
});

test('a header cannot inject another', () => {
  for (const value of ['a\r\nx: y', 'a\nb', 'a\0', 'a\u0100'])
    expect(() => requestBytes({ url: 'http://x/', method: 'POST', headers: { 'x-a': value }, body: '' })).toThrow();
  expect(() => requestBytes({ url: 'http://x/', method: 'GET', headers: { 'x a': 'b' } })).toThrow();
});

test('a header is found by its name in any case and position', () => {
  const head = parseHead(
    'HTTP/1.1 200 OK\r\nX-Type: no\r\nContent-Type:  text/plain \r\nLink: a\r\nx-content-type: no\r\nlink:b',
  );
  expect(['content-type', 'link', 'type', 'x-type', 'date'].map((name) => head.header(name))).toEqual([
    'text/plain',
    'a, b',
    undefined,
    'no',
    undefined,
  ]);
});
