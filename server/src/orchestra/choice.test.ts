import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';

/** Which models the engine asks, as the limits of key, user and request and the health of providers leave them. */

let house: TestApp;
const upstreams: ScriptedUpstream[] = [];
/** Models whose upstream fails. */
const failing = new Set<string>();

beforeAll(async () => {
  house = await openTestApp({ env: { DEMO_PROVIDER: 'off' } });
  await house.setOption('RateLimitEnabled', false);
  const serve = async (provider: string, model_id: string, price: number) => {
    const upstream = scriptedUpstream(() =>
      failing.has(model_id)
        ? new Response('{"error": {"message": "overloaded"}}', { status: 503 })
        : Response.json({
            id: 'c',
            object: 'chat.completion',
            choices: [{ index: 0, message: { role: 'assistant', content: `by ${model_id}` }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
          }),
    );
    upstreams.push(upstream);
    const prices = { prompt_price: price, completion_price: price };
    await addUpstream(house, upstream.url, [{ model_id, ...prices }], { provider });
  };
  await serve('alpha', 'a/small', 0.5);
  await serve('beta', 'b/mid', 2);
  await serve('gamma', 'c/big', 9);
});
afterAll(async () => {
  for (const upstream of upstreams) await upstream.close();
  await house.close();
});

const hard = 'Prove the theorem rigorously, from scratch.';

async function member(preferences: object = {}): Promise<Member & { secret: string }> {
  const one = await house.user();
  const root = await house.root();
  await root.call(`/api/admin/users/${one.id}/credits`, { method: 'POST', body: { quota: 5_000_000, note: 'test' } });
  await one.call('/api/routing/preferences', { method: 'PUT', body: preferences });
  return { ...one, secret: await one.key() };
}

async function ask(secret: string, body: object = {}) {
  const response = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: { model: 'svc/svc-ms', messages: [{ role: 'user', content: hard }], ...body },
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers and refusals, looked at field by field
  return { status: response.status, body: (await response.json()) as any };
}

test('the best model within the preferences is used', async () => {
  const free = await ask((await member()).secret);
  expect(free.body.choices[0].message.content).toBe('by c/big');
  const cases: [object, string][] = [
    [{ max_price: 3 }, 'by b/mid'],
    [{ blocked_providers: ['gamma'] }, 'by b/mid'],
    [{ blocked_providers: ['gamma', 'beta'] }, 'by a/small'],
  ];
  for (const [preferences, answer] of cases) {
    const { status, body } = await ask((await member(preferences)).secret);
    expect([status, body.choices?.[0].message.content ?? body.error.message]).toEqual([200, answer]);
    expect(body.svc_ms_meta.total_model_calls).toBe(1);
  }
});

test('provider preferences of the request apply to every call', async () => {
  const { secret } = await member();
  const cases: [object, string][] = [
    [{ only: ['beta'] }, 'by b/mid'],
    [{ ignore: ['gamma'] }, 'by b/mid'],
    [{ max_price: 1 }, 'by a/small'],
    [{ order: ['alpha'], allow_fallbacks: false }, 'by a/small'],
  ];
  for (const [provider, answer] of cases) {
    const { body } = await ask(secret, { provider });
    expect(body.choices?.[0].message.content).toBe(answer);
  }
  const wrong = await ask(secret, { provider: { only: 'beta' } });
  expect([wrong.status, wrong.body.error.param]).toEqual([400, 'provider.only']);
});

test('configured models are replaced if limits exclude them', async () => {
  const names = ['MsEasyModel', 'MsMediumModel', 'MsHardModel', 'MsPlanModel'];
  for (const name of names) await house.setOption(name, 'c/big');
  try {
    const { body } = await ask((await member({ max_price: 3 })).secret);
    expect(body.choices?.[0].message.content).toBe('by b/mid');
  } finally {
    for (const name of names) await house.setOption(name, '');
  }
});

test('an error names the limits that exclude all models', async () => {
  const dear = await ask((await member({ max_price: 0.1, blocked_providers: ['gamma'] })).secret);
  expect([dear.status, dear.body.error.code]).toEqual([404, 'no_available_provider']);
  expect(dear.body.error.message).toMatch(/above the price limit/);
  expect(dear.body.error.message).toMatch(/blocked in your preferences/);
  const { secret } = await member({ max_price: 3 });
  const forced = await ask(secret, { svc_ms: { force_model: 'c/big' } });
  expect([forced.status, forced.body.error.param]).toEqual([404, 'svc_ms.force_model']);
  expect(forced.body.error.message).toContain('above the price limit');
});

test('a model whose provider fails is skipped, and the decision records it', async () => {
  const { secret, call } = await member();
  failing.add('c/big');
  try {
    for (let i = 0; i < 7; i++) {
      const { body } = await ask(secret);
      expect(body.choices[0].message.content).toBe('by b/mid');
      const why = body.svc_ms_meta.failovers.map((one: { why: string }) => one.why);
      // After some failures in a row the circuit is open, and nobody waits for it any more.
      expect(why).toEqual([i < 5 ? 'provider_error' : 'circuit_open']);
    }
    const reasons = async () => {
      const response = await call('/api/routing/decisions?model_id=b/mid');
      const { data } = (await response.json()) as { data: { decisions: { routing_reason: string }[] } };
      return data.decisions.map(({ routing_reason }) => routing_reason);
    };
    await until('the decisions are written', async () => (await reasons()).length === 7);
    for (const reason of await reasons())
      expect(reason).toContain("used as fallback for 'c/big', which did not answer");
  } finally {
    failing.clear();
  }
});

test('the reported cost is the charged cost', async () => {
  const { secret, call } = await member();
  const { body } = await ask(secret);
  const { cost, request_id } = body.svc_ms_meta;
  const response = await call(`/api/usage/logs?parent_request_id=${request_id}`);
  const { logs } = ((await response.json()) as { data: { logs: { quota: number }[] } }).data;
  expect(logs).toHaveLength(1);
  expect(logs[0]!.quota).toBeGreaterThan(0);
  expect(cost).toBe(logs[0]!.quota / 500_000);
});
