import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { addUpstream, type ScriptedUpstream, saidHello, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';
import type { Json } from '../relay/wire/conversation.ts';

let house: TestApp;
let upstream: ScriptedUpstream;
let root: Member;
let member: Member;
let other: Member;

const answers = () => saidHello(10, 5);

beforeAll(async () => {
  // The simulation plans and embeds for the orchestration model.
  house = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
  await house.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(answers);
  [root, member, other] = [await house.root(), await house.user(), await house.user()];
  const credits = { method: 'POST', body: { quota: 10_000_000 } };
  expect((await root.call(`/api/admin/users/${member.id}/credits`, credits)).status).toBe(200);
  const model = { model_id: 'acme/large', prompt_price: 100, completion_price: 200 };
  await addUpstream(house, upstream.url, [model], { kind: 'openai', provider: 'acme', credential: 'sk-operator' });
});
afterAll(async () => {
  await house.close();
  await upstream.close();
});

async function ask(model: string, { key, ...more }: Json & { key?: string } = {}): Promise<string> {
  const authorization = `Bearer ${key ?? (await member.key())}`;
  const body = { model, messages: [{ role: 'user', content: 'hi' }], ...more };
  const answer = await house.call('/v1/chat/completions', { method: 'POST', headers: { authorization }, body });
  await answer.text();
  return answer.headers.get('x-request-id')!;
}

async function detail(by: Member, id: string, query = ''): Promise<Json & { status: number }> {
  const path = by === root ? '/api/admin/requests' : '/api/requests';
  const answer = await by.call(`${path}/${encodeURIComponent(id)}${query}`);
  const { data } = (await answer.json()) as { data?: Json };
  return { ...data, status: answer.status };
}

/** What costs nothing is written a moment later. */
const settled = (by: Member, id: string) =>
  until(`${id} is known`, async () => {
    const found = await detail(by, id);
    return found.status === 200 && (found.logs as Json[]).length > 0;
  });

test('an answered request shows its cost by part and the routing decision', async () => {
  const id = await ask('acme/large');
  await settled(member, id);
  for (const by of [member, root]) {
    const found = await detail(by, id);
    expect(found).toMatchObject({
      request_id: id,
      user_id: member.id,
      parent_request_id: null,
      failure: null,
      calls: null,
    });
    const [log] = found.logs as Json[];
    expect(log).toMatchObject({ model: 'acme/large', quota: 500 + 500, provider: 'acme' });
    expect(log!.parts).toEqual([
      { part: 'prompt', tokens: 10, cost: 500 },
      { part: 'completion', tokens: 5, cost: 500 },
    ]);
    expect(found.decisions).toMatchObject([{ request_id: id, selected_provider: 'acme', outcome: 'success' }]);
  }
  expect((await detail(root, id)).username).toBe(member.username);
});

test("a failed request shows administrators the upstream's message", async () => {
  upstream.answer(() => Response.json({ error: { message: 'Account 42 is out of money' } }, { status: 500 }));
  const id = await ask('acme/large');
  upstream.answer(answers);
  const own = await detail(member, id);
  expect(own).toMatchObject({ status: 200, logs: [], failure: { status: 502, code: 'provider_error' } });
  expect(own.decisions).toMatchObject([{ outcome: 'failure', attempts: [{ status: 500 }] }]);
  expect(JSON.stringify(own)).not.toContain('Account 42');
  const whole = await detail(root, id);
  expect(whole.failure).toMatchObject({ provider: 'acme', upstream_status: 500 });
  expect(JSON.stringify(whole.failure)).toContain('Account 42');
  const listed = await root.call(`/api/admin/requests?user_id=${member.id}&status=502`);
  const { data } = (await listed.json()) as { data: { requests: Json[] } };
  expect(data.requests[0]).toMatchObject({
    ...{ request_id: id, status: 'failed', username: member.username, provider: 'acme' },
    ...{ error: { status: 502 }, upstream: { status: 500, message: 'Account 42 is out of money' } },
  });
});

test('requests without a provider are found too: unknown models and cached answers', async () => {
  const unknown = await ask('acme/none');
  expect(await detail(member, unknown)).toMatchObject({
    failure: { status: 404, code: 'model_not_found' },
    decisions: [],
  });
  const key = await member.key({ cache: { ttl_seconds: 60 } });
  const first = await ask('acme/large', { key, temperature: 0 });
  const second = await ask('acme/large', { key, temperature: 0 });
  await settled(member, first);
  await settled(member, second);
  expect((await detail(member, second)).logs).toMatchObject([{ quota: 0, saved_quota: 1000 }]);
});

test('a turn lists its calls, and each call names its turn', async () => {
  const id = await ask('svc/svc-ms');
  await until('its calls are known', async () => (await detail(member, id)).calls !== undefined);
  const turn = await detail(member, id);
  expect(turn).toMatchObject({ status: 200, user_id: member.id, logs: [], failure: null });
  const { data } = (await (await member.call(`/api/requests?parent_request_id=${id}`)).json()) as {
    data: { requests: { request_id: string; parent_request_id: string; created_at: number }[] };
  };
  expect(data.requests.length).toBeGreaterThan(0);
  const call = data.requests[0]!;
  expect(call.parent_request_id).toBe(id);
  const found = await detail(member, call.request_id, `?at=${call.created_at}`);
  expect(found).toMatchObject({ status: 200, parent_request_id: id, logs: [{ request_id: call.request_id }] });
});

test('a request without a decision is found by its time from the list', async () => {
  const id = await ask('acme/large');
  await settled(member, id);
  const { created_at } = await detail(member, id);
  const { db } = house.platform.database;
  await db.deleteFrom('routing_decisions').where('request_id', '=', id).execute();
  for (const by of [member, root])
    expect(await detail(by, id, `?at=${created_at}`)).toMatchObject({ logs: [{ request_id: id }], decisions: [] });
  expect((await detail(other, id, `?at=${created_at}`)).status).toBe(404);
});

test("another user's request is not found", async () => {
  const [answered, failed, turn] = [await ask('acme/large'), await ask('acme/none'), await ask('svc/svc-ms')];
  await settled(member, answered);
  await until('the turn is known', async () => (await detail(member, turn)).status === 200);
  for (const id of [answered, failed, turn, 'req_nobody', 'x'.repeat(256)])
    expect([id, (await detail(other, id)).status]).toEqual([id, 404]);
  expect((await other.call(`/api/admin/requests/${answered}`)).status).toBe(403);
  expect((await detail(root, 'req_nobody')).status).toBe(404);
  const own = await other.call('/api/requests');
  expect(await own.json()).toEqual({ success: true, data: { requests: [], next_cursor: null } });
});
