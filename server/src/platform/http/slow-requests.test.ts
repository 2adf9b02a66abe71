import { afterAll, expect, test } from 'bun:test';
import { z } from 'zod';
import { receive } from './body.ts';
import { mountAlone } from './mount.fixture.ts';
import { defineRoute } from './route.ts';

/** Resolves when every slow request has been ended: only then the answers below come. */
let release = () => {};
const allEnded = new Promise<void>((resolve) => {
  release = resolve;
});
const seen: number[] = [];

const common = { tag: 'test', auth: 'none', limit: null, errors: 'management', answers: {} } as const;
const routes = [
  defineRoute({
    ...{ ...common, method: 'post', path: '/json', summary: 'a body by its schema', body: z.object({ a: z.string() }) },
    handle: async () => {
      await allEnded;
      return Response.json({ ok: true });
    },
  }),
  defineRoute({
    ...{
      ...common,
      method: 'post',
      path: '/raw',
      summary: 'a body the route reads',
      bodyAs: 'raw',
      body: z.object({}),
    },
    handle: async (call) => {
      seen.push((await receive(call, 1_000)).length);
      const quiet = async function* () {
        yield 'begun ';
        await allEnded;
        yield 'ended';
      };
      return new Response(quiet() as unknown as ReadableStream);
    },
  }),
];

const { fetch: answer } = mountAlone(routes);
// As serve.ts has it, with less patience.
const server = Bun.serve({ port: 0, idleTimeout: 4, fetch: answer });
afterAll(() => server.stop(true));

/** Minutes are seconds here. */
const hasty = Bun.serve({
  port: 0,
  fetch: (request, self) =>
    answer(request, {
      requestIP: () => null,
      timeout: (of: Request, seconds: number) => self.timeout(of, Math.ceil(seconds / 60)),
    } as unknown as Bun.Server<unknown>),
});
afterAll(() => hasty.stop(true));

/** Sends this, then a byte a second of that, and waits until the server closes. */
const untilClosed = (first: string, trickle = '', { port } = server): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    let at = 0;
    const timer = setInterval(
      () => void (trickle && socket.then((one) => one.write(trickle[at++ % trickle.length]!))),
      1_000,
    );
    const close = () => {
      clearInterval(timer);
      resolve(answer);
    };
    const socket = Bun.connect({
      hostname: '127.0.0.1',
      port: port!,
      socket: {
        open: (opened) => void opened.write(first),
        data: (_, bytes) => {
          answer += bytes.toString();
        },
        close,
        error: close,
      },
    });
  });

const post = (path: string, length: number, type = 'application/json'): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

test('incomplete requests time out; complete ones may take any time', async () => {
  const patient = [
    fetch(`${server.url}json`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":"b"}' }),
    fetch(`${server.url}raw`, { method: 'POST', body: '{}' }),
  ].map(async (answer) => (await answer).text());
  const slow = [
    untilClosed(''),
    untilClosed('POST /json HTTP/1.1\r\nHost: a\r\n'),
    untilClosed('POST /json HTTP/1.1\r\nHost: a\r\nX-Long: ', 'b'),
    untilClosed(post('/json', 100)),
    untilClosed(`${post('/json', 100)}{"a":`, 'x'),
    untilClosed(`${post('/raw', 100)}{"a":`, 'x'),
    untilClosed('POST /raw HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n'),
    // On a connection that has been in use.
    untilClosed(`${post('/nothing', 2)}{}POST /raw HT`),
  ];
  await Promise.all(slow);
  release();
  expect(await Promise.all(patient)).toEqual(['{"ok":true}', 'begun ended']);
  expect(seen).toEqual([2]);
}, 300_000);

test('an idle connection is closed, also after a stream', async () => {
  release();
  const answers = await Promise.all([
    untilClosed(`${post('/raw', 2)}{}`, '', hasty),
    untilClosed(`${post('/json', 9)}{"a":"b"}`, '', hasty),
  ]);
  expect(answers.map((text) => /ended|true/.exec(text)?.[0])).toEqual(['ended', 'true']);
}, 300_000);
