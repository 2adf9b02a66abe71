import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

/** A prompt reaches no provider that its sender, or the organisation that pays, has excluded. */
let relay: RelayTest;
let keeps: ScriptedUpstream;
let forgets: ScriptedUpstream;

const answer = () =>
  Response.json({
    ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Tea.' }], stop_reason: 'end_turn' },
    ...{ input_tokens: 5, usage: { input_tokens: 5, output_tokens: 2 } },
  });

beforeAll(async () => {
  relay = await openRelayTest();
  keeps = scriptedUpstream(answer);
  forgets = scriptedUpstream(answer);
  const add = (upstream: ScriptedUpstream, provider: string, priority: number, capabilities: Json) =>
    addUpstream(relay.test, upstream.url, [{ model_id: 'x/claude', model_name: 'claude-sonnet-4-6', capabilities }], {
      ...{ kind: 'anthropic', provider, priority },
    });
  await add(keeps, 'keeps', 9, { quantization: 'fp8' });
  await add(forgets, 'forgets', 0, { data_collection: 'deny', quantization: 'bf16', distillable_text: true });
  await addUpstream(
    relay.test,
    keeps.url,
    [
      { model_id: 'x/kept', model_name: 'claude-sonnet-4-6' },
      { model_id: 'x/zero', model_name: 'claude-sonnet-4-6', capabilities: { zdr: true } },
    ],
    { kind: 'anthropic', provider: 'keeps' },
  );
  await addUpstream(relay.test, keeps.url, [], { name: 'by name', models: ['x/by-name'] });
});
afterAll(async () => {
  await keeps.close();
  await forgets.close();
  await relay.close();
});
beforeEach(() => {
  keeps.seen.length = 0;
  forgets.seen.length = 0;
});

const messages = [{ role: 'user', content: 'Tea?' }];
const paths = ['/v1/chat/completions', '/v1/messages', '/v1/messages/count_tokens'];
const ask = (path: string, body: Json, key = relay.key) =>
  relay.post(
    path,
    { model: 'x/claude', max_tokens: 9, messages, ...body },
    { headers: { authorization: `Bearer ${key}` } },
  );

const demands: [demand: Json, why: string][] = [
  [{ data_collection: 'deny' }, 'not known to keep no data, as this request requires'],
  [{ quantizations: ['bf16', 'fp16'] }, 'not known to have a quantization this request allows'],
  [{ enforce_distillable_text: true }, 'not known to permit distillation, as this request requires'],
  [{ only: ['forgets'] }, 'not among the providers this request allows'],
];

describe.each(paths)('%s', (path) => {
  test.each(demands)('%j is asked of the provider that meets it alone', async (provider) => {
    // More than chance would leave to one of two.
    for (let i = 0; i < 6; i += 1) expect((await ask(path, { provider })).status).toBe(200);
    expect([keeps.seen.length, forgets.seen.length]).toEqual([0, 6]);
  });

  test.each(demands)('%j is refused if no provider meets it', async (provider, why) => {
    const refused = await ask(path, { model: 'x/kept', provider });
    expect(refused.status).toBe(404);
    const { error } = (await refused.json()) as { error: { message: string } };
    expect(error.message).toBe(`No provider of 'x/kept' is available: each one is ${why}.`);
    expect(keeps.seen).toEqual([]);
  });

  test('zero retention is more than not collecting, and nothing is known of a channel without models', async () => {
    const statusOf = async (model: string, provider: Json) => (await ask(path, { model, provider })).status;
    expect(await statusOf('x/zero', { zdr: true, data_collection: 'deny' })).toBe(200);
    expect(await statusOf('x/claude', { zdr: true })).toBe(404);
    expect(await statusOf('x/by-name', { data_collection: 'deny' })).toBe(404);
    expect(forgets.seen).toEqual([]);
  });

  test('a provider that its user has blocked is not shown the prompt', async () => {
    const block = (blocked_providers: string[]) =>
      relay.member.call('/api/routing/preferences', { method: 'PUT', body: { blocked_providers } });
    expect((await block(['keeps'])).status).toBe(200);
    try {
      expect((await ask(path, {})).status).toBe(200);
      expect((await ask(path, { model: 'x/kept' })).status).toBe(404);
      expect([keeps.seen.length, forgets.seen.length]).toEqual([0, 1]);
    } finally {
      await block([]);
    }
  });

  test('nor is one that the organisation does not allow', async () => {
    const call = async <T>(route: string, method: string, body: Json): Promise<T> => {
      const answered = await relay.member.call(route, { method, body });
      const told = (await answered.json()) as { data: T; message: string };
      expect([route, answered.ok || told.message]).toEqual([route, true]);
      return told.data;
    };
    const { id } = await call<{ id: number }>('/api/organisations', 'POST', { name: 'Tea' });
    await call(`/api/organisations/${id}/limits/organisation/${id}`, 'PUT', { providers: ['forgets'] });
    const { key } = await call<{ key: string }>(`/api/organisations/${id}/keys`, 'POST', { name: 'k', owner: 'user' });
    expect((await ask(path, {}, key)).status).toBe(200);
    expect((await ask(path, { model: 'x/kept' }, key)).status).toBe(404);
    expect([keeps.seen.length, forgets.seen.length]).toEqual([0, 1]);
  });
});

test('the built-in provider keeps nothing', async () => {
  const demo = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  try {
    const provider = { zdr: true, data_collection: 'deny' };
    const answered = await demo.post('/v1/chat/completions', { model: 'demo/chat', messages, provider });
    expect(answered.status).toBe(200);
  } finally {
    await demo.close();
  }
});

test('required parameters exclude providers that would leave one out', async () => {
  const asked = { seed: 7, provider: { require_parameters: true } };
  const refused = await ask('/v1/chat/completions', asked);
  expect([refused.status, await refused.text()]).toEqual([
    404,
    expect.stringContaining('each one is unable to honour every parameter, as this request requires'),
  ]);
  expect((await ask('/v1/chat/completions', { seed: 7 })).status).toBe(200);
});
