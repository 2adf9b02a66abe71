import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { askJson, download } from './http.ts';
import { type Io, type Target, UpstreamFault } from './kind.ts';

/** The channel's own server, and another one beside it, both on a private address. */
let seen: { server: string; path: string; authorization: string | null }[] = [];
const serve = (server: string) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      seen.push({ server, path: pathname, authorization: request.headers.get('authorization') });
      const to = searchParams.get('to');
      if (to !== null) return new Response('moved', { status: 302, headers: { location: to } });
      if (pathname === '/large') return new Response(' '.repeat(2_000_000));
      return new Response('film', { headers: { 'content-type': 'video/mp4' } });
    },
  });
const own = serve('own');
const other = serve('other');
afterAll(() => Promise.all([own.stop(true), other.stop(true)]));
beforeEach(() => {
  seen = [];
});

const target: Target = { baseUrl: `${own.url}v1`, credential: 'secret', modelName: 'm', timeoutMs: 5_000 };
const io = (allowPrivate: boolean): Io => ({ nowMs: () => 0, signal: new AbortController().signal, allowPrivate });
const via = (to: string): string => `${own.url}v1/films/1?to=${encodeURIComponent(to)}`;
const outcome = async (work: Promise<{ bytes: unknown }>): Promise<string> =>
  work.then(
    async ({ bytes }) => new Response(bytes as ReadableStream).text(),
    (error) => (error instanceof UpstreamFault ? error.kind : String(error)),
  );

const elsewhere = [
  other.url.href,
  `http://localhost:${other.port}/`,
  `http://[::ffff:127.0.0.1]:${other.port}/`,
  'http://169.254.169.254/latest/meta-data',
  'http://10.0.0.1/film',
  'http://[::1]/film',
  'file:///etc/passwd',
  'http://user:pw@127.0.0.1/',
  'http://',
];

describe('downloading a result', () => {
  test.each(elsewhere)('from %s is refused', async (url) => {
    expect(await outcome(download(url, target, io(false)))).toBe('unusable');
    expect(seen).toEqual([]);
  });

  test.each(elsewhere)('that redirects to %s is refused', async (url) => {
    expect(await outcome(download(via(url), target, io(false)))).toBe('unusable');
    expect(seen.map(({ server }) => server)).toEqual(['own']);
  });

  test('from the channel’s own host sends the credential, also through redirects within it', async () => {
    expect(await outcome(download(`${own.url}v1/films/1/content`, target, io(false)))).toBe('film');
    expect(await outcome(download(via('/v1/moved'), target, io(false)))).toBe('film');
    expect(seen.map(({ authorization }) => authorization)).toEqual(Array(3).fill('Bearer secret'));
  });

  test('from another host omits the credential, where private addresses are allowed', async () => {
    expect(await outcome(download(via(`${other.url}film`), target, io(true)))).toBe('film');
    expect(seen).toEqual([
      { server: 'own', path: '/v1/films/1', authorization: 'Bearer secret' },
      { server: 'other', path: '/film', authorization: null },
    ]);
  });

  test('with too many redirects fails', async () => {
    const circle = via(`${own.url}v1/films/1`);
    const again = via(via(via(via(circle))));
    expect(await outcome(download(again, target, io(false)))).toBe('unusable');
  });
});

test('what is no video is not received any further', async () => {
  const left = Promise.withResolvers<string>();
  const endless = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: ({ signal }) => {
      signal.addEventListener('abort', () => left.resolve('left'), { once: true });
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        await Bun.sleep(5);
        controller.enqueue(new Uint8Array(1_000));
      };
      return new Response(new ReadableStream({ pull }), { headers: { 'content-type': 'text/html' } });
    },
  });
  const [here, elsewhere] = [`${endless.url}v1`, target.baseUrl];
  try {
    for (const baseUrl of [here, elsewhere])
      expect(await outcome(download(`${endless.url}film`, { ...target, baseUrl }, io(true)))).toBe('failure');
    expect(await Promise.race([left.promise, Bun.sleep(5_000)])).toBe('left');
    await until('nobody receives', () => endless.pendingRequests === 0, 5_000);
  } finally {
    await endless.stop(true);
  }
});

test('the size of a status response is limited', async () => {
  await expect(askJson({ method: 'GET', url: `${own.url}large` }, target, io(false))).rejects.toThrow('larger than');
});
