import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { readOutgoingProxy } from '../../lib/outgoing-proxy.ts';
import { until } from '../../lib/until.fixture.ts';
import { localhostTls } from '../../video/localhost-tls.fixture.ts';
import { someProxy } from '../upstream/some-proxy.fixture.ts';
import { OutgoingError, type OutgoingRequest, openGuarded, type Resolve, sendGuarded } from './outgoing.ts';
import { useOutgoingProxy } from './outgoing-proxy.ts';

let calls = 0;
let streamedBytes = 0;
/** Whether nothing of the endless answer is asked for; what fits into the buffers on its way is, for a while. */
async function isStill(): Promise<boolean> {
  const before = streamedBytes;
  await Bun.sleep(200);
  return streamedBytes === before;
}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  routes: {
    '/echo': async (request) => {
      calls += 1;
      return Response.json(
        {
          method: request.method,
          host: request.headers.get('host'),
          sign: request.headers.get('x-sign'),
          body: await request.text(),
        },
        { status: 201, headers: { 'x-answer': 'yes' } },
      );
    },
    '/redirect': () => Response.redirect('/echo', 307),
    '/exact': () => new Response(new Uint8Array(65_536)),
    '/endless': () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            streamedBytes += 16_384;
            controller.enqueue(new Uint8Array(16_384));
            await Bun.sleep(1);
          },
        }),
      ),
    '/silent': () => new Promise<Response>(() => {}),
    '/drip': () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new Uint8Array(1));
            await Bun.sleep(20);
          },
        }),
      ),
  },
});
const silent = createServer(() => {});
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
const silentPort = (silent.address() as { port: number }).port;
afterAll(() => {
  void server.stop(true);
  silent.close();
});

const at = (path: string, host = '127.0.0.1') => `http://${host}:${server.port}${path}`;
const post = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
  timeoutMs: 30_000,
  ...more,
});
const open = { allowPrivate: true };
const closed = { allowPrivate: false };
const resolvesTo =
  (...ips: string[]): Resolve =>
  (_host, done) =>
    done(
      null,
      ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
const faultOf = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  return error instanceof OutgoingError ? error.fault : String(error);
};

test('sends method, headers and body, and returns the response', async () => {
  const answer = await sendGuarded(post(at('/echo'), { headers: { 'x-sign': 's' }, body: '{"ü":1}' }), open);
  expect(answer.status).toBe(201);
  expect(answer.headers['x-answer']).toBe('yes');
  expect(answer.truncated).toBe(false);
  expect(JSON.parse(new TextDecoder().decode(answer.body))).toEqual({
    method: 'POST',
    host: `127.0.0.1:${server.port}`,
    sign: 's',
    body: '{"ü":1}',
  });
});

test('returns a redirect unchanged', async () => {
  const before = calls;
  const answer = await sendGuarded(post(at('/redirect')), open);
  expect(answer.status).toBe(307);
  expect(answer.headers.location).toContain('/echo');
  expect(calls).toBe(before);
});

test('reads no further than the limit', async () => {
  const endless = await sendGuarded(post(at('/endless'), { maxAnswerBytes: 20_000 }), open);
  expect(endless.truncated).toBe(true);
  expect(endless.body.byteLength).toBe(20_000);
  // What was on its way may still be taken; an endless answer that is still read never stops.
  await until('nobody reads any more', isStill);
  const exact = await sendGuarded(post(at('/exact')), open);
  expect([exact.truncated, exact.body.byteLength]).toEqual([false, 65_536]);
});

describe('refuses', () => {
  test.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://2130706433/',
    'http://127。0。0。1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/latest/meta-data',
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'http://0/',
  ])('the literal address %s', async (url) => {
    expect(await faultOf(sendGuarded(post(url), closed))).toBe('address_refused');
  });

  test('names that resolve to private addresses, wholly or in part, without connecting', async () => {
    const before = calls;
    const call = (resolve?: Resolve, host = 'hook.example') =>
      faultOf(sendGuarded(post(at('/echo', host)), closed, resolve));
    expect(await call(undefined, 'localhost')).toBe('address_refused');
    expect(await call(resolvesTo('127.0.0.1'))).toBe('address_refused');
    expect(await call(resolvesTo('1.1.1.1', '127.0.0.1'))).toBe('address_refused');
    expect(await call(resolvesTo('::ffff:127.0.0.1'))).toBe('address_refused');
    expect(calls).toBe(before);
  });

  test.each(['nonsense', 'ftp://example.com/', 'file:///etc/passwd', 'http://user:pw@example.com/', 'javascript:1'])(
    'the address %s',
    async (url) => {
      expect(await faultOf(sendGuarded(post(url), open))).toBe('invalid_url');
    },
  );
});

test('resolves once per call, and connects to the checked address', async () => {
  let asked = 0;
  const rebinding: Resolve = (_host, done) => {
    asked += 1;
    done(null, [{ address: asked === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
  };
  const answer = await sendGuarded(post(at('/echo', 'hook.example')), open, rebinding);
  expect(asked).toBe(1);
  expect(JSON.parse(new TextDecoder().decode(answer.body)).host).toBe(`hook.example:${server.port}`);
});

test('the timeout covers connecting, waiting, the body and resolving', async () => {
  const call = (url: string, resolve?: Resolve) => faultOf(sendGuarded(post(url, { timeoutMs: 150 }), open, resolve));
  expect(await call(at('/silent'))).toBe('timeout');
  expect(await call(at('/drip'))).toBe('timeout');
  expect(await call(`http://127.0.0.1:${silentPort}/`)).toBe('timeout');
  expect(await call(at('/echo', 'hook.example'), () => {})).toBe('timeout');
});

test('a caller can abort, and an unreachable address is a network error', async () => {
  const controller = new AbortController();
  const call = faultOf(sendGuarded(post(at('/silent'), { signal: controller.signal }), open));
  setTimeout(() => controller.abort(), 30);
  expect(await call).toBe('aborted');
  expect(await faultOf(sendGuarded(post(at('/echo'), { signal: AbortSignal.abort() }), open))).toBe('aborted');
  expect(await faultOf(sendGuarded(post('http://127.0.0.1:1/'), open))).toBe('network');
  expect(await faultOf(sendGuarded(post('http://name.invalid/'), open))).toBe('network');
});

describe('behind a proxy', () => {
  let proxy: Awaited<ReturnType<typeof someProxy>>;
  const secure = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', tls: localhostTls },
    fetch: (request) => new Response(request.headers.get('host')),
  });
  beforeAll(async () => {
    proxy = await someProxy();
  });
  beforeEach(() => {
    proxy.asked.length = 0;
  });
  afterEach(() => useOutgoingProxy(undefined));
  afterAll(async () => {
    proxy.stop();
    await secure.stop(true);
  });
  const through = (more: Record<string, string> = {}, user = 'ann:p%40ss@') =>
    useOutgoingProxy(readOutgoingProxy({ HTTP_PROXY: proxy.url(user), HTTPS_PROXY: proxy.url(user), ...more }));
  const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const unknown: Resolve = (_host, done) => done(new Error('ENOTFOUND'), []);
  const textOf = ({ body }: { body: Uint8Array }) => new TextDecoder().decode(body);

  test('the proxy gets the checked address, and the target its name', async () => {
    through(unchecked);
    const plain = await sendGuarded(post(at('/echo', 'hook.example')), open, resolvesTo('127.0.0.1'));
    expect(JSON.parse(textOf(plain))).toMatchObject({
      method: 'POST',
      host: `hook.example:${server.port}`,
      body: '{}',
    });
    expect(plain).toMatchObject({ status: 201, headers: { 'x-answer': 'yes' }, truncated: false });
    const url = `https://hook.example:${secure.port}/`;
    expect(textOf(await sendGuarded(post(url), open, resolvesTo('127.0.0.1')))).toBe(`hook.example:${secure.port}`);
    expect(proxy.asked).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  test('private and unknown names are not requested from the proxy', async () => {
    through();
    const call = (resolve: Resolve) => faultOf(sendGuarded(post(at('/echo', 'hook.example')), closed, resolve));
    expect(await call(resolvesTo('127.0.0.1'))).toBe('address_refused');
    expect(await call(resolvesTo('1.1.1.1', '10.0.0.1'))).toBe('address_refused');
    expect(await call(unknown)).toBe('network');
    expect(await faultOf(sendGuarded(post(at('/echo')), closed))).toBe('address_refused');
    through({ PROXY_RESOLVES_NAMES: '1' });
    expect(await call(resolvesTo('127.0.0.1'))).toBe('address_refused');
    expect(proxy.asked).toEqual([]);
  });

  test('a resolving proxy gets names, including those unknown here', async () => {
    through({ PROXY_RESOLVES_NAMES: '1' });
    for (const resolve of [unknown, resolvesTo('1.1.1.1')])
      expect((await sendGuarded(post(at('/echo', 'hook.example')), closed, resolve)).status).toBe(201);
    expect(proxy.asked).toEqual(['hook.example', 'hook.example']);
  });

  test('certificates, proxy refusals, exceptions, limits and timeouts work as without a proxy', async () => {
    through();
    expect(await faultOf(sendGuarded(post(`https://localhost:${secure.port}/`), open))).toBe('network');
    const url = at('/endless');
    expect(await sendGuarded(post(url, { maxAnswerBytes: 20_000 }), open)).toMatchObject({ truncated: true });
    expect((await sendGuarded(post(at('/redirect')), open)).status).toBe(307);
    for (const path of ['/silent', '/drip'])
      expect(await faultOf(sendGuarded(post(at(path), { timeoutMs: 150 }), open))).toBe('timeout');
    expect(await faultOf(sendGuarded(post(at('/echo', 'a.test'), { timeoutMs: 150 }), open, () => {}))).toBe('timeout');
    const { body } = await openGuarded({ ...post(at('/drip')), timeoutMs: 150 }, open);
    expect(await faultOf(new Response(body).bytes())).toBe('timeout');
    through({}, '');
    expect(await faultOf(sendGuarded(post(`https://localhost:${secure.port}/`), open))).toBe('network');
    proxy.asked.length = 0;
    through({ NO_PROXY: '127.0.0.1' });
    expect((await sendGuarded(post(at('/echo')), open)).status).toBe(201);
    expect(proxy.asked).toEqual([]);
  });
});

describe('a streamed response', () => {
  const get = (path: string, more: Partial<OutgoingRequest> = {}) =>
    openGuarded({ url: at(path), method: 'GET', headers: {}, timeoutMs: 2_000, ...more }, open);
  const read = (body: ReadableStream<Uint8Array>) => faultOf(new Response(body).bytes());

  test('is complete, and a redirect is returned unchanged', async () => {
    const { status, body } = await get('/exact');
    expect([status, (await new Response(body).bytes()).length]).toEqual([200, 65_536]);
    const { status: moved, headers, body: nothing } = await get('/redirect');
    expect([moved, headers.location]).toEqual([307, expect.stringContaining('/echo')]);
    await nothing.cancel();
  });

  test('is not fetched ahead of its reader, nor after the reader has left', async () => {
    const { body } = await get('/endless');
    const reader = body.getReader();
    await reader.read();
    await reader.cancel();
    await until('nobody reads any more', isStill);
  });

  test('ends at its timeout, when the caller aborts, and when it is cut', async () => {
    const tooSlow = get('/drip', { timeoutMs: 150 }).then(({ body }) => new Response(body).bytes());
    expect(await faultOf(tooSlow)).toBe('timeout');
    const controller = new AbortController();
    const { body } = await get('/drip', { signal: controller.signal });
    const reading = read(body);
    controller.abort();
    expect(await reading).toBe('aborted');
    const cut = createServer((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
    });
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(cut.address() as { port: number }).port}/`;
    expect(await read((await get('', { url })).body)).not.toBe('no error');
    cut.close();
  });

  test('is not read from a private address', async () => {
    const before = calls;
    const refused = (url: string, resolve?: Resolve) =>
      faultOf(openGuarded({ url, method: 'GET', headers: {}, timeoutMs: 2_000 }, closed, resolve));
    expect(await refused(at('/echo'))).toBe('address_refused');
    expect(await refused(at('/echo', 'films.example'), resolvesTo('127.0.0.1'))).toBe('address_refused');
    expect(await refused('file:///etc/passwd')).toBe('invalid_url');
    expect(calls).toBe(before);
  });
});
