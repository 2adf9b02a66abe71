import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { openSealer } from '../lib/seal.ts';
import { keyEntry } from '../platform/sealing-keys.ts';
import { administration, type ServerRow, startMcp } from './mcp.fixture.ts';
import { findServer, resealServers } from './store/servers.ts';

let t: TestApp;
let open: TestApp;
let root: Member;
let user: Member;
const secret = 'Bearer never-shown-again';

beforeAll(async () => {
  [t, open] = await Promise.all([openTestApp(), openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } })]);
  for (const app of [t, open]) await app.setOption('RateLimitEnabled', false);
  root = await t.root();
  user = await t.user();
});
afterAll(() => Promise.all([t.close(), open.close()]));

const base = '/api/mcp/servers';
type Said = { data: ServerRow & Record<string, unknown>; message: string; error?: { param?: string } };
async function send(method: string, path: string, body?: unknown, by = root) {
  const answer = await by.call(`${base}${path}`, { method, body });
  return { status: answer.status, text: await answer.clone().text(), said: (await answer.json()) as Said };
}
const own = (name: string) => ({ name, url: 'https://mcp.example.com/mcp', headers: { Authorization: secret } });

test('creates, lists by page, updates and deletes servers without revealing headers', async () => {
  const made = await send('POST', '', own('files'));
  expect(made.status).toBe(201);
  const { id } = made.said.data;
  expect(made.said.data).toMatchObject({
    ...{ name: 'files', url: 'https://mcp.example.com/mcp', header_names: ['authorization'], enabled: true },
    ...{ timeout_ms: 60_000, audience: 'administrators', user_ids: [], tools: [] },
  });
  expect((await send('POST', '', own('files'))).status).toBe(409);
  await send('POST', '', { ...own('other'), headers: {} });
  const page = await send('GET', '?page=2&page_size=1');
  expect(page.said.data).toMatchObject({ total: 2, page: 2, page_size: 1 });
  const changed = await send('PUT', `/${id}`, { enabled: false, audience: 'users', user_ids: [user.id, user.id] });
  expect(changed.said.data).toMatchObject({ enabled: false, user_ids: [user.id], header_names: ['authorization'] });
  for (const answer of [made, changed, page, await send('GET', `/${id}`)])
    expect(answer.text).not.toContain('never-shown');
  expect((await findServer(t.platform.database.db, id))!.sealedHeaders).toMatch(/^s1\./);
  expect((await send('DELETE', `/${id}`)).status).toBe(200);
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', {}]] as const)
    expect((await send(method, `/${id}`, body)).status).toBe(404);
  expect((await send('POST', `/${id}/test`)).status).toBe(404);
  expect((await send('PUT', `/${id}/tools`, { tools: [] })).status).toBe(404);
});

test('stored headers are not sent to another origin', async () => {
  const { id } = (await send('POST', '', own('moving'))).said.data;
  expect((await send('PUT', `/${id}`, { url: 'https://mcp.example.com/v2' })).status).toBe(200);
  expect(await send('PUT', `/${id}`, { url: 'https://evil.example.com/mcp' })).toMatchObject({ status: 400 });
  expect((await send('PUT', `/${id}`, { url: 'https://evil.example.com/mcp', headers: {} })).said.data).toMatchObject({
    header_names: [],
  });
});

test('a header that cannot be set is rejected with the reason', async () => {
  for (const [headers, reason] of [
    [{ Host: 'x' }, 'headers.Host: must not be a header used by the protocol'],
    [{ 'a b': 'x' }, 'headers.a b: must be a header name'],
    [{ a: 'ü' }, 'headers.a: must be printable ASCII'],
  ] as const)
    expect((await send('POST', '', { ...own('reasons'), headers })).said).toMatchObject({ message: reason });
});

test('invalid fields are rejected by name', async () => {
  const { id } = (await send('POST', '', own('right'))).said.data;
  const wrong: [field: string, value: unknown][] = [
    ['url', 'ftp://host/'],
    ['url', 'https://user:pass@host/'],
    ['url', 'https://host/#part'],
    ['url', 'http://127.0.0.1:3000/mcp'],
    ['url', 'http://[::1]/mcp'],
    ['url', 'http://169.254.169.254/latest'],
    ['headers', { 'mcp-session-id': 'x' }],
    ['headers', { Host: 'x' }],
    ['headers', { 'a b': 'x' }],
    ['headers', { a: 'x\r\ny: z' }],
    ['headers', { a: 'ü' }],
    ['headers', Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`h${i}`, 'x']))],
    ['timeout_ms', 999],
    ['timeout_ms', 600_001],
    ['audience', 'nobody'],
    ['user_ids', [999_999]],
    ['user_ids', ['1']],
    ['enabled', 1],
    ['colour', 'red'],
  ];
  for (const [field, value] of wrong) {
    for (const [method, path, body] of [
      ['POST', '', { ...own('wrong'), [field]: value }],
      ['PUT', `/${id}`, { headers: {}, [field]: value }],
    ] as const) {
      const { status, text } = await send(method, path, body);
      expect([status, text.includes(field)]).toEqual([400, true]);
    }
  }
  for (const name of ['', 'Big', 'a_b', 'x'.repeat(25), 'a b'])
    expect((await send('POST', '', { ...own('x'), name })).status).toBe(400);
  // Models know its tools by it.
  expect((await send('PUT', `/${id}`, { name: 'renamed' })).status).toBe(400);
  const definition = 'a'.repeat(64);
  for (const tools of [
    [{ name: 'a', definition: 'short' }],
    [{ name: '', definition }],
    [{ name: 'a', definition, colour: 'red' }],
    [
      { name: 'a', definition },
      { name: 'a', definition },
    ],
  ])
    expect((await send('PUT', `/${id}/tools`, { tools })).status).toBe(400);
  expect((await send('GET', '?colour=red')).status).toBe(400);
});

test('only administrators see and change servers; all users see what they may use', async () => {
  const { id } = (await send('POST', '', own('closed'))).said.data;
  for (const [method, path, body] of [
    ['GET', ''],
    ['GET', `/${id}`],
    ['POST', '', own('mine')],
    ['PUT', `/${id}`, {}],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/test`],
    ['PUT', `/${id}/tools`, { tools: [] }],
  ] as const)
    expect((await send(method, path, body, user)).status).toBe(403);
  expect(await (await user.call('/api/mcp/tools')).json()).toEqual({ success: true, data: { tools: [] } });
  expect((await t.call('/api/mcp/tools')).status).toBe(401);
});

test('a name that resolves to a private address is not called, and the operator sees why', async () => {
  const server = startMcp([{ name: 'one' }]);
  const url = server.url.replace('127.0.0.1', 'localhost');
  const { id } = (await send('POST', '', { ...own('inside'), url })).said.data;
  const { said, status } = await send('POST', `/${id}/test`);
  expect([status, said.data.ok]).toEqual([200, false]);
  expect(String(said.data.error)).toContain('ALLOW_PRIVATE_WEBHOOKS=1');
  expect(server.heard).toEqual([]);
  server.stop();
});

test('tools are tested, allowed and used with an API key', async () => {
  const server = startMcp([{ name: 'add', description: 'Adds.' }, { name: 'remove' }]);
  const admin = administration(await open.root());
  const { id } = await admin.connect('sums', server.url);
  expect(await admin.test(id)).toMatchObject({
    ...{ ok: true, cut: false, server: { name: 'scripted', version: '7' } },
    tools: [
      { name: 'add', offered_as: 'sums__add', state: 'new', description: 'Adds.', problem: null, approved: null },
      { name: 'remove', state: 'new' },
    ],
  });
  const allowed = await admin.allow(id, ['add'], ['add']);
  expect(allowed.tools).toMatchObject([{ name: 'add', offered_as: 'sums__add', ask_first: true }]);
  const key = await (await open.user()).key();
  const answer = await open.call('/api/mcp/tools', { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toEqual({
    success: true,
    data: {
      tools: [
        { name: 'sums__add', description: 'Adds.', parameters: { type: 'object', properties: {} }, ask_first: true },
      ],
    },
  });
  // What is approved already needs no server to be kept or taken back.
  server.stop();
  const [add] = allowed.tools;
  const kept = await admin.send<ServerRow>('PUT', `/${id}/tools`, {
    tools: [{ name: 'add', definition: add!.definition }],
  });
  expect(kept.tools).toMatchObject([{ name: 'add', ask_first: false }]);
  const unseen = { tools: [{ name: 'remove', definition: 'a'.repeat(64) }] };
  await expect(admin.send('PUT', `/${id}/tools`, unseen)).rejects.toThrow(/^502 /);
  expect((await admin.send<ServerRow>('PUT', `/${id}/tools`, { tools: [] })).tools).toEqual([]);
});

test('rotating the encryption key re-encrypts the headers', async () => {
  const { db } = t.platform.database;
  const { id } = (await send('POST', '', own('sealed'))).said.data;
  const keys = [keyEntry(new Uint8Array(32).fill(7)), ...t.platform.sealingKeys];
  const { reseal, open: unseal } = openSealer({ keys });
  expect(await resealServers(db, reseal)).toBeGreaterThan(0);
  expect(await resealServers(db, reseal)).toBe(0);
  const { sealedHeaders } = (await findServer(db, id))!;
  expect(sealedHeaders.split('.')[1]).toBe(keys[0]!.id);
  expect(JSON.parse(unseal(sealedHeaders))).toEqual({ authorization: secret });
  // Without that key they cannot be read here, which is told and not a crash.
  const { said } = await send('POST', `/${id}/test`);
  expect(String(said.data.error)).toContain('enter them again');
});
