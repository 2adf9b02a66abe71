import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { openLog } from '../log.ts';
import { registerEmbedded } from './web-assets.ts';

/** What can be told apart from outside: the route comes from the access log, which pages and system routes do not write. */
interface Seen {
  status: number;
  route: string | undefined;
  allow: string | undefined;
  body: string;
}

const page = '<!doctype html><title>svc</title>';
const folder = mkdtempSync(join(tmpdir(), 'svc-router-'));
const lines: { msg: string; route: string }[] = [];
let service: TestApp;
let server: Bun.Server<unknown>;
let key: string;

beforeAll(async () => {
  service = await openTestApp({
    env: { DEMO_PROVIDER: 'on' },
    log: openLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  await service.setOption('AccessLog', true);
  await service.setOption('RateLimitEnabled', false);
  key = await (await service.root()).key();
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', development: false, fetch: service.app.fetch });

  const index = { path: '/index.html', type: 'text/html', immutable: false, etag: 'x', gzip: 0, brotli: 0 };
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ index: index.path, files: [index], pages: [] }));
  registerEmbedded({ '/manifest.json': join(folder, 'manifest.json'), '/index.html': join(folder, 'index.html') });
});
afterAll(async () => {
  registerEmbedded(undefined);
  await server.stop(true);
  await service.close();
  rmSync(folder, { recursive: true });
});

const withBody = new Set(['POST', 'PUT', 'PATCH']);
const routeSeen = (): string | undefined => lines.find(({ msg }) => msg === 'request')?.route;

async function fetched(method: string, target: string): Promise<Seen> {
  lines.length = 0;
  const request = new Request(`${service.config.baseUrl}${target}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(withBody.has(method) && { body: '{}' }),
  });
  const answer = await service.app.fetch(request);
  const body = await answer.text();
  return { status: answer.status, route: routeSeen(), allow: answer.headers.get('allow') ?? undefined, body };
}

/** By hand, as clients tidy an address up before they send it. */
function sent(method: string, target: string, version = '1.1', more = 'Host: localhost\r\n'): Promise<Seen> {
  lines.length = 0;
  const body = withBody.has(method) ? '{}' : '';
  const credential = more.includes('X-Api-Key') ? '' : `Authorization: Bearer ${key}\r\n`;
  const head = `${method} ${target} HTTP/${version}\r\n${more}Connection: close\r\n${credential}`;
  return new Promise((resolve, reject) => {
    let text = '';
    void Bun.connect({
      hostname: '127.0.0.1',
      port: server.port!,
      socket: {
        open: (to) =>
          void to.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
        data: (_, bytes) => {
          text += bytes.toString();
        },
        close: () => resolve(seenIn(text)),
        error: (_, error) => reject(error),
      },
    });
  });
}

function seenIn(text: string): Seen {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const allow = /\r\nallow: (.*)/i.exec(head)?.[1];
  return { status: Number(head.slice(9, 12)), route: routeSeen(), allow, body: rest.join('\r\n\r\n') };
}

const chat = '/v1/chat/completions';
const model = '/v1/models/{model_id+}';
const nothing = (at: string) => `There is nothing at ${at}.`;
const noModel = (id: string) => `The model '${id}' does not exist`;

type Row = [
  method: string,
  target: string,
  status: number,
  expected: { route?: string; allow?: string; body?: string },
];
const generate = '/v1beta/models/{model+}:generateContent';
const rows: Row[] = [
  ['POST', chat, 400, { route: chat, body: "'model'" }],
  ['POST', `${chat}?a=b`, 400, { route: chat }],
  ['POST', `${chat}#x`, 400, { route: chat }],
  ['POST', '/v1/ch%61t/completions', 400, { route: chat }],
  ['POST', '/v1/chat/../chat/completions', 400, { route: chat }],
  ['POST', '/v1/./chat/completions', 400, { route: chat }],
  ['POST', `${chat}/`, 404, { body: nothing(`POST ${chat}/`) }],
  ['POST', `/${chat}`, 404, { body: '{"success":false,"message"' }],
  ['POST', '/V1/chat/completions', 404, {}],
  ['POST', '/v1/chat%2Fcompletions', 404, { body: nothing('POST /v1/chat%2Fcompletions') }],
  ['GET', chat, 405, { allow: 'POST', body: '"code":"method_not_allowed"' }],
  ['HEAD', chat, 405, { allow: 'POST', body: '' }],
  ['OPTIONS', chat, 405, { allow: 'POST' }],
  ['PUT', chat, 405, { allow: 'POST' }],
  ['TRACE', '/api/user/login', 405, { allow: 'POST', body: '"success":false' }],
  ['PROPFIND', '/api/user/login', 405, { allow: 'POST' }],
  ['DELETE', '/api/tokens', 405, { allow: 'GET, POST' }],
  ['PATCH', '/api/routing/configs/a/b', 405, { allow: 'GET, PUT, DELETE' }],
  ['PATCH', '/v1/videos/x', 405, { allow: 'GET, DELETE', body: '{"error":{"code":405' }],
  ['OPTIONS', '/v1/videos/x', 405, { allow: 'GET, DELETE' }],
  ['PUT', '/v1/messages', 405, { allow: 'POST', body: '"type":"error"' }],
  ['PUT', '/api/oauth2/token', 405, { allow: 'POST', body: '"error_description"' }],
  ['OPTIONS', '/api/oauth2/token', 204, { route: '/api/oauth2/token', body: '' }],
  ['OPTIONS', '/api/oauth2/userinfo', 204, { route: '/api/oauth2/userinfo' }],
  ['OPTIONS', '/nothing', 404, {}],

  ['GET', '/v1/models', 200, { route: '/v1/models', body: '"object":"list"' }],
  ['HEAD', '/v1/models', 200, { route: '/v1/models', body: '' }],
  ['GET', '/v1/models/', 404, { body: nothing('GET /v1/models/') }],
  ['GET', '/v1/models/demo/chat', 200, { route: model, body: '"id":"demo/chat"' }],
  ['HEAD', '/v1/models/demo/chat', 200, { route: model, body: '' }],
  ['GET', '/v1/models/demo%2Fchat', 200, { route: model, body: '"id":"demo/chat"' }],
  ['GET', '/v1/models/demo%2fch%61t', 200, { route: model, body: '"id":"demo/chat"' }],
  ['GET', '/v1/models/x?y=z', 404, { route: model, body: noModel('x') }],
  ['GET', '/v1/models/x%3Fy', 404, { route: model, body: noModel('x?y') }],
  ['GET', '/v1/models/a/', 404, { route: model, body: noModel('a/') }],
  ['GET', '/v1/models/a//b', 404, { route: model, body: noModel('a//b') }],
  ['GET', '/v1/models/a%0D%0Ab', 404, { route: model, body: noModel('a\\r\\nb') }],
  ['GET', '/v1/models/a%E2%80%A8b', 404, { route: model, body: noModel('a\u2028b') }],
  ['GET', '/v1/models/caf%C3%A9', 404, { route: model, body: noModel('café') }],
  ['POST', '/v1/models/a%0Ab:generateContent', 400, { route: generate, body: "'contents'" }],
  ['GET', '/v1/models/a%25b', 404, { route: model, body: noModel('a%b') }],
  ['GET', '/v1/models/a%252Fb', 404, { route: model, body: noModel('a%2Fb') }],
  ['GET', '/v1/models/a%ff', 404, { route: model, body: noModel('a%ff') }],
  ['GET', '/v1/models/a%25%ff', 404, { route: model, body: noModel('a%25%ff') }],
  ['GET', '/v1/models/a%zz', 404, { route: model, body: noModel('a%zz') }],
  ['GET', '/v1/models/a%00b', 400, { route: model, body: 'NUL' }],
  ['GET', '/v1/models/__proto__', 404, { route: model, body: noModel('__proto__') }],

  ['GET', '/v1/anthropic/files//content', 404, { body: '{"type":"error"' }],

  ['GET', '/v1beta/models', 200, { route: '/v1beta/models', body: '"models":[' }],
  ['HEAD', '/v1beta/models', 200, { route: '/v1beta/models', body: '' }],
  ['GET', '/v1beta/models/demo%2Fchat', 200, { route: '/v1beta/models/{model+}', body: '"models/demo/chat"' }],
  ['GET', '/v1beta/models/models/demo/chat', 200, { route: '/v1beta/models/{model+}', body: '"models/demo/chat"' }],
  ['POST', '/v1beta/models/demo/chat:generateContent', 400, { route: generate, body: '"INVALID_ARGUMENT"' }],
  ['POST', '/v1beta/models/demo%2Fchat%3AgenerateContent', 400, { route: generate, body: "'contents'" }],
  ['POST', '/v1beta/models/a:b/c:free:generateContent', 400, { route: generate, body: "'contents'" }],
  ['POST', '/v1/models/demo/chat:generateContent?key=x', 401, { route: generate, body: '"UNAUTHENTICATED"' }],
  ['POST', '/v1/models/demo/chat', 405, { allow: 'GET', body: '"code":"method_not_allowed"' }],
  ['POST', '/v1beta/models/:generateContent', 405, { allow: 'GET', body: '"status":"UNIMPLEMENTED"' }],
  ['GET', '/v1beta', 404, { body: '"status":"NOT_FOUND"' }],
  ['GET', '/v1betas', 404, { body: '{"success":false,"message"' }],

  ['GET', '/v1/videos/models', 200, { route: '/v1/videos/models' }],
  ['DELETE', '/v1/videos/models', 404, { route: '/v1/videos/{jobId}' }],
  ['GET', '/v1/videos/x', 404, { route: '/v1/videos/{jobId}' }],
  ['GET', '/v1/videos/x/content', 404, { route: '/v1/videos/{jobId}/content' }],
  ['GET', '/v1/videos/a%2Fb/content', 404, { route: '/v1/videos/{jobId}/content' }],
  ['GET', '/v1/videos/x/', 404, { body: '{"error":{"code":404' }],
  ['GET', '/v1/videos//content', 404, {}],
  ['GET', '/v1/videos/x/y/content', 404, {}],

  ['GET', '/healthz', 200, { body: '{"status":"ok"}' }],
  ['GET', '/healthz#x', 200, {}],
  ['HEAD', '/healthz', 200, { body: '' }],
  ['POST', '/healthz', 405, { allow: 'GET' }],
  ['GET', '/openapi.json', 200, { body: '"openapi":"3.1.0"' }],
  ['DELETE', '/openapi.json', 405, { allow: 'GET' }],

  ['GET', '/', 200, { body: page }],
  ['HEAD', '/', 200, { body: '' }],
  ['POST', '/', 404, { body: nothing('POST /') }],
  ['GET', '/docs', 404, { body: nothing('GET /docs') }],
  ['GET', '/apix', 404, { body: '{"success":false,"message"' }],
  ['GET', '/.well-known/openai', 404, { body: '{"success":false,"message"' }],
  ['GET', '/v1alpha/models', 404, { body: '{"success":false,"message"' }],
  ['POST', '/v1alpha/models/x:generateContent', 404, { body: '{"success":false,"message"' }],
  ['HEAD', '/v1alpha/models', 404, { body: '' }],
  ['PUT', '/v2/rerank', 405, { allow: 'POST', body: '{"message":' }],
  ['PUT', '/v2/embed', 405, { allow: 'POST', body: '{"message":' }],
  ['POST', '/v2/nothing', 404, { body: '{"message":' }],
  ['GET', '/openai/nothing', 404, { body: '"code":"not_found"' }],
  ['GET', '/index.html', 200, { body: page }],
  ['GET', '/%69ndex.html', 200, { body: page }],
  ['GET', '/assets/none.js', 404, {}],
  ['GET', '/api', 404, { body: nothing('GET /api') }],
  ['GET', '/v1', 404, {}],
  ['HEAD', '/api/nothing', 404, { body: '' }],
  ['GET', '/%61pi/nothing', 404, { body: nothing('GET /api/nothing') }],
  ['GET', '/api/caf%C3%A9', 404, { body: nothing('GET /api/café') }],
  ['GET', '/api/a%2Fb%25c', 404, { body: nothing('GET /api/a%2Fb%25c') }],
];

describe('each address gets the right response, with and without a server', () => {
  test.each(rows)('%s %s', async (method, target, status, { body = '', ...expected }) => {
    const here = await fetched(method, target);
    expect({ ...here, body: undefined }).toEqual({
      route: undefined,
      allow: undefined,
      body: undefined,
      ...expected,
      status,
    });
    expect(here.body).toContain(body);
    if (body === '' && method === 'HEAD') expect(here.body).toBe('');
    const there = await sent(method, target);
    expect({ ...there, body: undefined }).toEqual({ ...here, body: undefined });
    // Each request has an id of its own.
    expect(there.body.replace(/req_\w+/g, '')).toBe(here.body.replace(/req_\w+/g, ''));
  });
});

describe('a request that does not ask for a page gets none', () => {
  const asked = (path: string, accept?: string, method = 'GET') =>
    service.call(path, { method, ...(accept && { headers: { accept } }) });
  const navigation = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

  test.each(['/', '/docs', '/oauth2/authorize?client_id=x', '/models/a/b-4.1', '/v1alpha/models', '/.well-known/x'])(
    'a browser that opens %s gets the web app',
    async (path) => {
      for (const accept of [navigation, 'Text/HTML']) {
        const answer = await asked(path, accept);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('vary')).toContain('accept');
        expect(await answer.text()).toBe(page);
      }
    },
  );

  test.each(['/docs', '/v1alpha/models', '/.well-known/x', '/openai/nothing', '/models/a/b-4.1'])(
    'a program that requests %s gets JSON',
    async (path) => {
      for (const accept of [undefined, '*/*', 'application/json', 'text/event-stream', 'text/htmlx', 'image/png']) {
        const answer = await asked(path, accept);
        expect(answer.status).toBe(404);
        expect(answer.headers.get('content-type')).toStartWith('application/json');
        expect(answer.headers.get('vary')).toBe('accept');
        expect(answer.headers.get('x-request-id')).toBeString();
      }
    },
  );

  test('nothing under the API or among the files is a page', async () => {
    for (const path of ['/api/nothing', '/v1/nothing', '/assets/gone.js'])
      expect((await asked(path, navigation)).status).toBe(404);
    expect((await asked('/docs', navigation, 'POST')).status).toBe(404);
  });
});

test.each([
  ['no Host', '1.0', ''],
  ['an empty Host', '1.1', 'Host: \r\n'],
  ['an invalid Host', '1.1', 'Host: a b\r\n'],
  ['an IPv6 address as Host', '1.1', 'Host: [::1]:3000\r\n'],
])('with %s only the path decides', async (_, version, host) => {
  expect(await sent('POST', chat, version, host)).toMatchObject({ status: 400, route: chat });
  expect(await sent('GET', '/healthz', version, host)).toMatchObject({ status: 200 });
  expect(await sent('GET', '/v1/models/demo/chat?x=y', version, host)).toMatchObject({ status: 200, route: model });
  const withKey = `${host}X-Api-Key: ${key}\r\n`;
  expect(await sent('POST', '/v1/messages', version, withKey)).toMatchObject({ status: 400, route: '/v1/messages' });
  const once = `${host}Idempotency-Key: ${crypto.randomUUID()}\r\n`;
  expect(await sent('POST', '/api/svc-ms/sessions', version, once)).toMatchObject({ status: 201 });
  expect(await sent('GET', 'http://example.org/healthz', version, host)).toMatchObject({ status: 200 });
});
