import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import {
  addUpstream,
  type Script,
  type ScriptedUpstream,
  saidHello,
  scriptedUpstream,
} from './scripted-upstream.fixture.ts';

const secrets = ['sk-first-of-the-channel-1111', 'sk-second-of-the-channel-2222'] as const;
let relay: RelayTest;
let root: Member;
let upstream: ScriptedUpstream;
let channel: number;

const answered: Script = () => saidHello();
const keyOf = (headers: Headers): string => headers.get('authorization')!.replace('Bearer ', '');

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  root = await relay.test.root();
  upstream = scriptedUpstream(answered);
  channel = await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/m' }], { credential: secrets[0] });
});
beforeEach(() => {
  upstream.answer(answered);
  upstream.seen.length = 0;
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const path = () => `/api/admin/channels/${channel}/credentials`;
const ask = (content = 'hi') =>
  relay.post('/v1/chat/completions', { model: 'acme/m', messages: [{ role: 'user', content }] });

interface Shown {
  id: number;
  name: string;
  first: boolean;
  credential_hint: string | null;
  requests_per_minute: number | null;
  health: { circuits: Record<string, number>; at_limit: boolean; today: Record<string, number> } | null;
}
const list = async (): Promise<Shown[]> => {
  const answer = await root.call(path());
  return ((await answer.json()) as { data: { credentials: Shown[] } }).data.credentials;
};

test('a channel starts with one credential, another can be added, and no response contains a secret', async () => {
  expect(await list()).toMatchObject([{ name: 'First', first: true, credential_hint: '••••1111', health: null }]);
  const body = { name: 'Second', credential: secrets[1], requests_per_minute: 100, spend_per_day: 2.5 };
  const added = await root.call(path(), { method: 'POST', body });
  expect(added.status).toBe(201);
  const text = await added.text();
  expect(text).not.toContain(secrets[1]);
  expect(JSON.parse(text).data).toMatchObject({ requests_per_minute: 100, spend_per_day: 2.5, first: false });
  expect(JSON.stringify(await list())).not.toMatch(/sk-(first|second)/);
});

test('a rejected credential is replaced by the next one and not tried again', async () => {
  upstream.answer((request) =>
    keyOf(request.headers) === secrets[0]
      ? Response.json({ error: { message: 'bad key' } }, { status: 401 })
      : answered(request),
  );
  // Until the circuit of the first has opened; which one a request begins with is drawn.
  for (let i = 0; i < 100 && (await list())[0]!.health!.circuits.open !== 1; i += 1)
    expect((await ask(`question ${i}`)).status).toBe(200);
  upstream.seen.length = 0;
  for (let i = 0; i < 5; i += 1) expect((await ask(`and ${i}`)).status).toBe(200);
  expect(new Set(upstream.seen.map(({ headers }) => keyOf(headers)))).toEqual(new Set([secrets[1]]));
  const [first, second] = await list();
  expect(first!.health!.today).toMatchObject({ requests: 5, failures: 5 });
  expect(second!.health).toMatchObject({ circuits: { closed: 1 }, at_limit: false });
});

test('when all credentials are at their limit, no call is made and the caller gets a Retry-After', async () => {
  const [first, second] = await list();
  const limit = (id: number, body: object) => root.call(`${path()}/${id}`, { method: 'PUT', body });
  expect((await limit(first!.id, { status: 2 })).status).toBe(200);
  expect((await limit(second!.id, { requests_per_minute: 1 })).status).toBe(200);
  const answers: Response[] = [];
  // The minute may end between two of them, once.
  for (let i = 0; i < 4; i += 1) answers.push(await ask(`more ${i}`));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(Number(refused[0]!.headers.get('retry-after-ms'))).toBeGreaterThan(0);
  expect((await refused[0]!.json()) as object).toMatchObject({ error: { code: 'capacity_exhausted' } });
});

test('invalid credentials are rejected, and only administrators can read them', async () => {
  const bad = async (body: object) => (await root.call(path(), { method: 'POST', body })).status;
  expect(await bad({ name: 'x' })).toBe(400);
  expect(await bad({ name: 'x', credential: '' })).toBe(400);
  expect(await bad({ name: 'x', credential: 'two words' })).toBe(400);
  expect(await bad({ name: 'x', credential: 'sk-x', spend_per_day: -1 })).toBe(400);
  expect(await bad({ name: 'x', credential: 'sk-x', requests_per_minute: 0.5 })).toBe(400);
  expect((await root.call('/api/admin/channels/999999/credentials')).status).toBe(404);
  expect((await root.call(`${path()}/999999`, { method: 'DELETE' })).status).toBe(404);
  expect((await relay.member.call(path())).status).toBe(403);
});
