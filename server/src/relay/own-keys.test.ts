import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import {
  addUpstream,
  type Script,
  type ScriptedUpstream,
  saidHello,
  scriptedUpstream,
} from './scripted-upstream.fixture.ts';

const secret = 'sk-the-users-very-own-9876';
let relay: RelayTest;
let root: Member;
let upstream: ScriptedUpstream;

const answered: Script = () => saidHello(1_000, 1_000);
const keyOf = (headers: Headers): string => headers.get('authorization')!.replace('Bearer ', '');
const keysSeen = (): string[] => upstream.seen.map(({ headers }) => keyOf(headers));

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  root = await relay.test.root();
  upstream = scriptedUpstream(answered);
  const price = { prompt_price: 2, completion_price: 6 };
  const models = [{ model_id: 'acme/m', ...price }];
  await addUpstream(relay.test, upstream.url, models, { credential: 'sk-acme', provider: 'acme' });
  const dearer = [{ model_id: 'acme/m', prompt_price: 3, completion_price: 9 }];
  await addUpstream(relay.test, upstream.url, dearer, { credential: 'sk-other', provider: 'other' });
});
beforeEach(() => {
  upstream.answer(answered);
  upstream.seen.length = 0;
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const path = '/api/routing/own-keys';
const ask = (fields: object = {}) =>
  relay.post('/v1/chat/completions', {
    ...{ model: 'acme/m', max_tokens: 1_000, messages: [{ role: 'user', content: 'word '.repeat(1_000) }] },
    ...fields,
  });
const bring = (fields: object = {}) =>
  relay.member.call(path, {
    method: 'POST',
    body: { provider: 'acme', name: 'Mine', credential: secret, ...fields },
  });
const change = (id: number, body: object) => relay.member.call(`${path}/${id}`, { method: 'PUT', body });
interface Listed {
  keys: { id: number; name: string; fallback: boolean; credential_hint: string | null }[];
  fee: number | null;
  providers: string[];
}
const list = async (): Promise<Listed> => ((await (await relay.member.call(path)).json()) as { data: Listed }).data;

test('a user cannot add a key until the operator allows it', async () => {
  expect((await bring()).status).toBe(403);
  expect(await list()).toMatchObject({ keys: [], fee: null });
  expect((await ask()).status).toBe(403);
});

describe('provider keys of users', () => {
  let id: number;
  beforeAll(async () => {
    await relay.test.setOption('OwnKeys', true);
    const brought = await bring();
    expect(brought.status).toBe(201);
    const text = await brought.text();
    expect(text).not.toContain(secret);
    id = (JSON.parse(text) as { data: { id: number } }).data.id;
  });

  test('a user’s key is used first, costs nothing without a fee, and needs no balance', async () => {
    for (let i = 0; i < 4; i += 1) {
      const answer = await ask();
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-svc-cost')).toBe('0');
      expect(await relay.usageOf(answer)).toMatchObject({ provider: 'acme', quota: 0, own_key: true });
    }
    expect(new Set(keysSeen())).toEqual(new Set([secret]));
  });

  test('a fee costs that share of the price and nothing more', async () => {
    await relay.test.setOption('OwnKeyFee', 0.05);
    expect((await ask()).status).toBe(403);
    await relay.credit(1_000_000);
    const answer = await ask();
    expect(answer.status).toBe(200);
    // 1,000 tokens at 2 and 1,000 at 6 USD a million are 4,000 units of quota.
    expect(await relay.usageOf(answer)).toMatchObject({ quota: 200, own_key: true });
    await relay.test.setOption('OwnKeyFee', 0);
  });

  test('the operator’s keys are used as fallback only if the owner allows it', async () => {
    upstream.answer((request) =>
      keyOf(request.headers) === secret
        ? Response.json({ error: { message: 'no' } }, { status: 401 })
        : answered(request),
    );
    expect((await ask()).status).toBe(502);
    expect(keysSeen()).toEqual([secret]);
    expect((await change(id, { fallback: true })).status).toBe(200);
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(keysSeen().slice(1)[0]).toBe(secret);
    const entry = await relay.usageOf(answer);
    expect(entry).toMatchObject({ own_key: false });
    expect(entry.quota).toBeGreaterThan(0);
    await change(id, { fallback: false });
  });

  test('failures of a user’s key are not counted against the channel', async () => {
    upstream.answer((request) =>
      keyOf(request.headers) === secret
        ? Response.json({ error: { message: 'no' } }, { status: 500 })
        : answered(request),
    );
    for (let i = 0; i < 8; i += 1) await ask();
    const other = await relay.test.user();
    await root.call(`/api/admin/users/${other.id}/credits`, { method: 'POST', body: { quota: 1_000_000 } });
    const authorization = `Bearer ${await other.key()}`;
    upstream.seen.length = 0;
    const messages = [{ role: 'user', content: 'hi' }];
    const body = { model: 'acme/m', max_tokens: 5, messages, provider: { only: ['acme'] } };
    const answer = await relay.test.call('/v1/chat/completions', { method: 'POST', headers: { authorization }, body });
    expect(answer.status).toBe(200);
    expect(keysSeen()).toEqual(['sk-acme']);
  });

  test('a key is not used for other providers, when disabled, or after deletion', async () => {
    const only = { provider: { only: ['other'] } };
    expect((await ask(only)).status).toBe(200);
    await change(id, { status: 2 });
    expect((await ask({ provider: { only: ['acme'] } })).status).toBe(200);
    expect(keysSeen()).toEqual(['sk-other', 'sk-acme']);
    expect((await relay.member.call(`${path}/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await list()).keys).toEqual([]);
  });

  test('other users cannot see, change or delete a key, and exports do not contain its secret', async () => {
    const mine = ((await (await bring()).json()) as { data: { id: number } }).data.id;
    expect((await list()).keys).toMatchObject([{ name: 'Mine', fallback: false, credential_hint: '••••9876' }]);
    const other = await relay.test.user();
    const listed = (await (await other.call(path)).json()) as { data: Listed };
    expect(listed.data.keys).toEqual([]);
    expect((await other.call(`${path}/${mine}`, { method: 'PUT', body: { name: 'Yours' } })).status).toBe(404);
    expect((await other.call(`${path}/${mine}`, { method: 'DELETE' })).status).toBe(404);
    const exported = await (await relay.member.call('/api/user/self/export')).text();
    expect(exported).toContain('"provider":"acme"');
    expect(exported).not.toContain(secret);
    expect(exported).not.toContain('"s1.');
  });

  test('a key test is sent where its requests would be sent, and nowhere else', async () => {
    const elsewhere = scriptedUpstream(answered);
    const model = (name: string) => [{ model_id: `twin/${name}` }];
    const twin = { provider: 'twin', credential: 'sk-twin' };
    const brought = async (provider: string) =>
      ((await (await bring({ provider })).json()) as { data: { id: number } }).data.id;
    const tried = async (key: number) => {
      const answer = await relay.member.call(`${path}/${key}/test`, { method: 'POST' });
      return { status: answer.status, ...((await answer.json()) as { data?: { ok: boolean } }).data };
    };
    try {
      // Of a group that the user is not in, though it is the first of that provider.
      await addUpstream(relay.test, elsewhere.url, model('vip'), { ...twin, group: 'vip' });
      const key = await brought('twin');
      expect(await tried(key)).toMatchObject({ status: 409 });
      await addUpstream(relay.test, upstream.url, model('all'), twin);
      expect(await tried(key)).toMatchObject({ status: 200, ok: true });
      expect(keysSeen()).toEqual([secret]);
      expect(elsewhere.seen).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  test('an invalid key is rejected', async () => {
    expect((await bring({ provider: 'nobody' })).status).toBe(400);
    expect((await bring({ provider: 'demo' })).status).toBe(400);
    expect((await bring({ credential: '' })).status).toBe(400);
    expect((await bring({ credential: 'two words' })).status).toBe(400);
    expect((await bring({ unknown: 1 })).status).toBe(400);
  });
});
