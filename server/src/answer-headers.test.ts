import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type CallInit, type Member, openTestApp, type TestApp } from './app.fixture.ts';

let service: TestApp;
let root: Member;
let authorization: string;

beforeAll(async () => {
  service = await openTestApp({ env: { DEMO_PROVIDER: 'on', METRICS_TOKEN: 'a token for metrics' } });
  await service.setOption('RateLimitEnabled', false);
  await service.app.start();
  root = await service.root();
}, 300_000);
// Of a key's own for each test: one of them asks every route to delete what it can.
beforeEach(async () => {
  authorization = `Bearer ${await root.key()}`;
});
afterAll(() => service.close());

/** No browser guesses what an answer is: the header is on each, whoever made it. */
async function checked(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  return response;
}
const ask = (path: string, init: CallInit = {}) =>
  checked(service.call(path, { ...init, headers: { authorization, ...init.headers } }));
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers });

interface Document {
  paths: Record<string, Record<string, unknown>>;
}

test('every route sends its security headers, for every kind of caller and an invalid body', async () => {
  const { paths } = service.app.document() as Document;
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method })),
  );
  expect(routes.length).toBeGreaterThan(90);
  const member = await service.user();
  const sent: [method: string, path: string, header: string | null][] = [];
  for (const { path, method } of routes) {
    const address = path.replace(/\{[^}]+\}/g, '1');
    const init = { method: method.toUpperCase(), ...(method !== 'get' && { body: {} }) };
    for (const caller of [service.call, member.call, root.call]) {
      // Whoever logs out or goes is of no use for the rest.
      if (caller === root.call && /logout|sessions\/|user\/self/.test(path)) continue;
      const response = await caller(address, init);
      sent.push([method, path, response.headers.get('x-content-type-options')]);
      await response.body?.cancel();
    }
    await (await ask(address, init)).body?.cancel();
  }
  expect(sent.length).toBeGreaterThan(2.5 * routes.length);
  expect(sent.filter(([, , header]) => header !== 'nosniff')).toEqual([]);
}, 300_000);

test('responses to a session are not cacheable', async () => {
  const { paths } = service.app.document() as Document;
  const read = Object.keys(paths).filter((path) => path.startsWith('/api/') && 'get' in paths[path]!);
  expect(read.length).toBeGreaterThan(80);
  const kept: [path: string, control: string | null][] = [];
  for (const path of read) {
    const answer = await root.call(path.replace(/\{[^}]+\}/g, '1'));
    await answer.body?.cancel();
    const control = answer.headers.get('cache-control');
    if (!/no-store|no-cache/.test(control ?? '')) kept.push([path, control]);
  }
  // What is the same for everybody.
  expect(kept).toEqual([['/api/oauth2/.well-known/openid-configuration', 'public, max-age=300']]);
});

test.each(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'key'])(
  'responses to an API key in %s are not cacheable for others',
  async (where) => {
    const { paths } = service.app.document() as Document;
    const read = Object.keys(paths).filter((path) => /^\/(v\d\w*|mcp)\//.test(path) && 'get' in paths[path]!);
    expect(read.length).toBeGreaterThan(25);
    const file = new FormData();
    file.set('purpose', 'user_data');
    file.set('file', new File(['Mine.'], 'mine.txt'));
    const { id } = (await (await ask('/v1/files', { method: 'POST', body: file })).json()) as { id: string };
    const key = authorization.slice('Bearer '.length);
    const kept: unknown[] = [];
    const addresses = new Set(
      read.flatMap((path) => [id, 'demo', '1'].map((known) => path.replace(/\{[^}]+\}/g, known))),
    );
    for (const address of addresses) {
      const answer = await (where === 'key'
        ? service.call(`${address}?key=${key}`)
        : service.call(address, { headers: { [where]: where === 'authorization' ? authorization : key } }));
      await answer.body?.cancel();
      const control = answer.headers.get('cache-control');
      // Caches only know that `Authorization` and cookies make an answer private (RFC 9111 §3.5).
      if (!/no-store|private/.test(control ?? '')) kept.push([address, answer.status, control]);
    }
    expect(kept).toEqual([]);
  },
  120_000,
);

test.each(['token', 'revoke', 'introspect', 'par', 'device_authorization', 'register', 'userinfo', 'nothing'])(
  'a method refusal of /api/oauth2/%s is not cacheable',
  async (name) => {
    const answer = await checked(service.call(`/api/oauth2/${name}?code=x`, { method: 'PUT' }));
    expect([answer.status >= 404, answer.headers.get('cache-control')]).toEqual([true, 'no-store']);
  },
);

const hello = [{ role: 'user', content: 'Hello' }];
const statuses: [what: string, status: number, act: () => Promise<Response>][] = [
  ['health', 200, () => checked(service.call('/healthz'))],
  ['readiness', 200, () => checked(service.call('/readyz'))],
  ['metrics', 200, () => ask('/metrics', { headers: { authorization: 'Bearer a token for metrics' } })],
  ['metrics for strangers', 403, () => ask('/metrics', { headers: { 'x-forwarded-for': '192.0.2.1' } })],
  ['the document', 200, () => checked(service.call('/openapi.json'))],
  ['nothing there', 404, () => checked(service.call('/api/nothing'))],
  ['nothing there, below /v1', 404, () => ask('/v1/nothing')],
  ['another method', 405, () => checked(service.call('/api/user/login', { method: 'DELETE' }))],
  ['another method of the machines', 405, () => checked(service.call('/healthz', { method: 'POST' }))],
  ['no JSON', 400, () => ask('/v1/chat/completions', { method: 'POST', body: '{' })],
  [
    'another media type',
    415,
    () => ask('/api/user/login', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }),
  ],
  ['too large', 413, () => ask('/api/user/login', { method: 'POST', body: `"${'x'.repeat(2 ** 21)}"` })],
  ['a preflight', 204, () => checked(service.call('/api/oauth2/token', { method: 'OPTIONS' }))],
  ['discovery', 200, () => checked(service.call('/.well-known/oauth-authorization-server'))],
  ['a wrong key', 401, () => ask('/v1/models', { headers: { authorization: 'Bearer sk-wrong' } })],
  ['a chat', 200, () => post('/v1/chat/completions', { model: 'demo/chat', messages: hello })],
  ['a stream', 200, () => post('/v1/chat/completions', { model: 'demo/chat', messages: hello, stream: true })],
  [
    'a stream of messages',
    200,
    () => post('/v1/messages', { model: 'demo/chat', max_tokens: 9, messages: hello, stream: true }),
  ],
  ['the engine', 200, () => post('/v1/chat/completions', { model: 'svc/svc-ms', messages: hello })],
  [
    'a stream of the engine',
    200,
    () => post('/v1/chat/completions', { model: 'svc/svc-ms', messages: hello, stream: true }),
  ],
  [
    'the engine in messages',
    200,
    () => post('/v1/messages', { model: 'svc/svc-ms', max_tokens: 9, messages: hello, stream: true }),
  ],
  ['speech', 200, () => post('/v1/audio/speech', { model: 'demo/speech', input: 'Hello', voice: 'alloy' })],
  ['embeddings', 200, () => post('/v1/embeddings', { model: 'demo/embed', input: 'tea' })],
  ['usage as CSV', 200, () => checked(root.call('/api/usage/logs?format=csv'))],
  ['the audit as CSV', 200, () => checked(root.call('/api/oauth2/admin/audit?format=csv'))],
  ['everything about oneself', 200, () => checked(root.call('/api/user/self/export'))],
];

/** Each as a client of Anthropic's asks. */
const anthropic = (path: string, init: CallInit = {}) =>
  ask(path, { ...init, headers: { 'anthropic-version': '2023-06-01', ...init.headers } });
const message = { model: 'demo/chat', max_tokens: 9, messages: hello };
const places = ['/v1/messages', '/v1/messages/count_tokens', '/v1/messages/batches', '/v1/files', '/v1/models'];
const gone = [
  ...places.map((path) => `${path}/nothing/there`),
  '/v1',
  '/v1/nothing',
  '/v1/complete',
  '/v1/skills?beta=true',
];
const asAnthropic: [what: string, status: number, act: () => Promise<Response>][] = [
  ...gone.map((path): (typeof asAnthropic)[number] => [`GET ${path}`, 404, () => anthropic(path)]),
  ...places.map((path): (typeof asAnthropic)[number] => [
    ...([`PUT ${path}`, 405] as const),
    () => anthropic(path, { method: 'PUT', body: message }),
  ]),
  ...['GET', 'DELETE', 'OPTIONS'].map((method): (typeof asAnthropic)[number] => [
    ...([`${method} /v1/messages`, 405] as const),
    () => anthropic('/v1/messages', { method }),
  ]),
  ...places.map((path): (typeof asAnthropic)[number] => {
    const method = path === '/v1/models' ? 'GET' : 'POST';
    const headers = { authorization: 'Bearer sk-wrong' };
    return [`${method} ${path} with a wrong key`, 401, () => anthropic(path, { method, headers })];
  }),
  ['a batch that is not there', 404, () => anthropic('/v1/messages/batches/msgbatch_1')],
  ['a file that is not there', 404, () => anthropic('/v1/files/file_1')],
  ['a model that is not there', 404, () => anthropic('/v1/models/nothing')],
  ['no JSON', 400, () => anthropic('/v1/messages', { method: 'POST', body: '{' })],
  ['nothing asked', 400, () => anthropic('/v1/messages', { method: 'POST', body: {} })],
  ['no such model', 404, () => anthropic('/v1/messages', { method: 'POST', body: { ...message, model: 'nothing' } })],
  [
    'an encoding that nobody knows',
    415,
    () => anthropic('/v1/messages', { method: 'POST', body: message, headers: { 'content-encoding': 'lzma' } }),
  ],
  ['too large', 413, () => anthropic('/v1/messages/batches', { method: 'POST', body: `"${'x'.repeat(2 ** 25 + 1)}"` })],
  ['a message', 200, () => anthropic('/v1/messages', { method: 'POST', body: message })],
  ['a stream', 200, () => anthropic('/v1/messages', { method: 'POST', body: { ...message, stream: true } })],
  ['its models', 200, () => anthropic('/v1/models')],
];

describe("every response in Anthropic's format has its request-id header", () => {
  const check = async (response: Response, status: number) => {
    const id = response.headers.get('request-id');
    expect([response.status, id]).toEqual([status, response.headers.get('x-request-id')!]);
    const text = await response.text();
    if (status >= 400) expect(JSON.parse(text)).toMatchObject({ type: 'error', request_id: id });
  };

  test.each(asAnthropic)('%s: %i', async (_what, status, act) => check(await act(), status));

  test('too many requests', async () => {
    await service.setOption('RateLimitEnabled', true);
    await service.setOption('RateLimitV1', 1);
    try {
      for (const status of [200, 429]) await check(await anthropic('/v1/models'), status);
    } finally {
      await service.setOption('RateLimitEnabled', false);
    }
  });
});

describe('headers of every kind of response', () => {
  test.each(statuses)('%s', async (_what, status, act) => {
    const response = await act();
    expect(response.status).toBe(status);
    await response.body?.cancel();
  });

  test('an image and its address', async () => {
    const body = { model: 'demo/image', prompt: 'a lighthouse', size: '256x256' };
    const { data } = (await (await post('/v1/images/generations', body)).json()) as { data: { url: string }[] };
    const picture = await checked(service.call(new URL(data[0]!.url).pathname));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await checked(service.call('/v1/files/images/nothing.png'))).status).toBe(404);
  });

  test('a video: whole, a range, its headers, and an invalid range', async () => {
    const made = await post('/v1/videos', { model: 'demo/video', prompt: 'waves' });
    const { id } = (await made.json()) as { id: string };
    const path = `/v1/videos/${id}`;
    expect((await ask(`${path}/content`)).status).toBe(400);
    for (;;) {
      const { status } = (await (await ask(path)).json()) as { status: string };
      if (status === 'completed') break;
      await Bun.sleep(50);
    }
    const content = (init: CallInit = {}) => ask(`${path}/content?index=0`, init);
    expect((await content()).status).toBe(200);
    expect((await content({ headers: { range: 'bytes=0-3' } })).status).toBe(206);
    expect((await content({ headers: { range: 'bytes=999999999-' } })).status).toBe(416);
    expect((await content({ method: 'HEAD' })).status).toBe(200);
  }, 300_000);

  test('the events of a run', async () => {
    const body = { message: 'Say hello', session_id: 'headers', stream_events: false };
    expect((await post('/api/svc-ms/autonomous/execute', body)).status).toBe(200);
    const events = await ask('/api/svc-ms/autonomous/headers/events');
    expect(events.headers.get('content-type')).toStartWith('text/event-stream');
    await events.text();
    expect((await ask('/api/svc-ms/autonomous/headers/events', { headers: { 'last-event-id': '9999' } })).status).toBe(
      204,
    );
  }, 300_000);

  test('pages and their files, or their replacement', async () => {
    for (const path of ['/', '/login', '/docs', '/assets/nothing.js', '/favicon.ico', '/manifest.json'])
      for (const method of ['GET', 'HEAD', 'POST'])
        await (await checked(service.call(path, { method }))).body?.cancel();
  });
});
