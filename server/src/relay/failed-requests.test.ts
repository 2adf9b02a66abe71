import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { sweepFailures } from '../billing/store/failures.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';
import type { Json } from './wire/conversation.ts';

let house: TestApp;
let upstream: ScriptedUpstream;
let member: Member;

beforeAll(async () => {
  house = await openTestApp();
  upstream = scriptedUpstream();
  member = await house.user();
  const fields = { kind: 'openai', credential: 'sk-of-the-operator' };
  await addUpstream(house, upstream.url, [{ model_id: 'acme/free' }], { ...fields, provider: 'acme' });
  const dear = { model_id: 'acme/dear', prompt_price: 1_000, completion_price: 1_000 };
  await addUpstream(house, upstream.url, [dear], { ...fields, provider: 'dear' });
});
afterAll(async () => {
  await house.close();
  await upstream.close();
});

const ask = async (model: string, more: Json = {}, key?: string) => {
  const authorization = `Bearer ${key ?? (await member.key())}`;
  const body = { model, messages: [{ role: 'user', content: 'hi' }], ...more };
  const answer = await house.call('/v1/chat/completions', { method: 'POST', headers: { authorization }, body });
  await answer.text();
  return { status: answer.status, requestId: answer.headers.get('x-request-id') };
};

const failures = async (caller: Member, path: string): Promise<Json[]> => {
  const answer = await caller.call(path);
  return ((await answer.json()) as { data: { failures: Json[] } }).data.failures;
};
const newest = async (path = '/api/usage/failures', caller = member) => (await failures(caller, path))[0]!;

test('a request rejected before any upstream call is listed with the message sent to the caller', async () => {
  const limited = await member.key({ models: ['acme/free'] });
  const cases: [model: string, status: number, code: string, key?: string][] = [
    ['acme/none', 404, 'model_not_found'],
    ['acme/dear', 403, 'insufficient_user_quota'],
    ['acme/dear', 403, 'model_not_allowed', limited],
  ];
  for (const [model, status, code, key] of cases) {
    const asked = await ask(model, {}, key);
    expect([model, asked.status]).toEqual([model, status]);
    const found = await newest();
    expect(found).toMatchObject({ request_id: asked.requestId, model, status, code, endpoint: '/v1/chat/completions' });
    expect(String(found.message).length).toBeGreaterThan(0);
  }
});

test.each([false, true])('a request that no upstream answered is listed; streamed: %p', async (stream) => {
  upstream.answer(() =>
    Response.json({ error: { message: 'Account 42 is out of money, sk-of-the-operator' } }, { status: 500 }),
  );
  const asked = await ask('acme/free', { stream });
  const own = await newest();
  expect(own).toMatchObject({ request_id: asked.requestId, status: 502, code: 'provider_error' });
  expect(JSON.stringify(own)).not.toContain('Account 42');
  const whole = await newest(`/api/admin/usage/failures?user_id=${member.id}`, await house.root());
  expect(whole).toMatchObject({ request_id: asked.requestId, provider: 'acme', upstream_status: 500 });
  expect(whole.upstream_message).toContain('Account 42 is out of money');
  expect(whole.upstream_message).not.toContain('sk-of-the-operator');
});

test('an answered request is not listed', async () => {
  upstream.answer(() =>
    Response.json({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
    }),
  );
  const asked = await ask('acme/free');
  expect(asked.status).toBe(200);
  expect((await failures(member, '/api/usage/failures')).map((one) => one.request_id)).not.toContain(asked.requestId);
});

test('the list can be filtered by model and key, also by administrators', async () => {
  const keys = [await member.key(), await member.key()];
  const asked = [
    await ask('acme/none', {}, keys[0]!),
    await ask('acme/lost', {}, keys[0]!),
    await ask('acme/none', {}, keys[1]!),
  ].map(({ requestId }) => requestId);
  await newest();
  const { key_id: keyOfTwo } = await house.platform.database.db
    .selectFrom('failed_requests')
    .select('key_id')
    .where('request_id', '=', asked[1]!)
    .executeTakeFirstOrThrow();
  const root = await house.root();
  const found = async (query: string, caller: Member, path: string) =>
    (await failures(caller, `${path}?${query}`)).map((one) => asked.indexOf(String(one.request_id)));
  for (const [query, expected] of [
    [`token_id=${keyOfTwo}`, [1, 0]],
    ['model=acme/lost', [1]],
    [`token_id=${keyOfTwo}&model=acme/none`, [0]],
    ['token_id=999999', []],
  ] as const) {
    expect([query, await found(query, member, '/api/usage/failures')]).toEqual([query, [...expected]]);
    const all = await found(`${query}&user_id=${member.id}`, root, '/api/admin/usage/failures');
    expect([query, all]).toEqual([query, [...expected]]);
  }
  expect((await failures(root, `/api/admin/usage/failures?token_id=${keyOfTwo}`)).length).toBe(2);
});

test('failures are private, can be filtered by date, and expire', async () => {
  const other = await house.user();
  expect(await failures(other, '/api/usage/failures')).toEqual([]);
  expect((await other.call('/api/admin/usage/failures')).status).toBe(403);
  const { created_at } = await newest();
  const until = Number(created_at);
  expect(await failures(member, `/api/usage/failures?from=${until + 1}`)).toEqual([]);
  expect((await failures(member, `/api/usage/failures?to=${until}`)).length).toBeGreaterThan(0);
  const { db } = house.platform.database;
  await sweepFailures(db, until + 1);
  expect(await failures(member, '/api/usage/failures')).toEqual([]);
});

test('of several models, only the last failure is listed, and none if one answers', async () => {
  const models = ['acme/free', 'acme/free-too'];
  await addUpstream(house, upstream.url, [{ model_id: 'acme/free-too' }], { kind: 'openai', provider: 'other' });
  const before = (await failures(member, '/api/usage/failures')).length;
  const message = { role: 'assistant', content: 'I am here' };
  const answered = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
  upstream.answer(({ body }) =>
    (body as Json).model === 'acme/free-too' ? Response.json(answered) : new Response('', { status: 500 }),
  );
  expect((await ask(models[0]!, { models })).status).toBe(200);
  expect(await failures(member, '/api/usage/failures')).toHaveLength(before);
  upstream.answer(() => new Response('', { status: 500 }));
  const asked = await ask(models[0]!, { models });
  expect(await newest()).toMatchObject({ request_id: asked.requestId, model: 'acme/free-too' });
  expect(await failures(member, '/api/usage/failures')).toHaveLength(before + 1);
});
