import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { systemClock } from '../../lib/clock.ts';
import {
  addUpstream,
  resettingUpstream,
  type ScriptedUpstream,
  scriptedUpstream,
  stall,
} from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let ahead = 0;
let app: TestApp;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  app = await openTestApp({ clock: { ...systemClock, nowMs: () => Date.now() + ahead } });
  upstream = scriptedUpstream();
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

const tool = async (id: number, name: 'test' | 'sync-models'): Promise<{ status: number; body: Json; data: Json }> => {
  const root = await app.root();
  const answer = await root.call(`/api/admin/channels/${id}/${name}`, { method: 'POST', body: {} });
  const body = (await answer.json()) as Json;
  return { status: answer.status, body, data: body.data as Json };
};

describe('channel test', () => {
  const chat = {
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
  };
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'OK' }],
    stop_reason: 'end_turn',
  };
  const gemini = { candidates: [{ content: { parts: [{ text: 'OK' }] }, finishReason: 'STOP' }] };
  const converse = { output: { message: { role: 'assistant', content: [{ text: 'OK' }] } }, stopReason: 'end_turn' };
  const kinds: [kind: string, reply: Json, path: RegExp][] = [
    ['openai', chat, /\/chat\/completions$/],
    ['openrouter', chat, /\/chat\/completions$/],
    ['anthropic', message, /\/messages$/],
    ['gemini', gemini, /:generateContent$/],
    ['bedrock', converse, /\/model\/m-1\/converse$/],
  ];
  for (const [kind, reply, path] of kinds) {
    test(`sends a short chat request to a ${kind} channel`, async () => {
      const id = await addUpstream(app, upstream.url, [{ model_id: `acme/${kind}`, model_name: 'm-1' }], { kind });
      upstream.answer(() => Response.json({ model: 'm-1', usage: {}, ...reply }));
      const { status, body, data } = await tool(id, 'test');
      expect([status, body.success, data.ok]).toEqual([200, true, true]);
      expect(data.latency_ms).toBeNumber();
      expect(upstream.seen.at(-1)!.path).toMatch(path);
    });
  }

  test('lists models for a channel without chat models; the built-in channel always succeeds', async () => {
    const id = await addUpstream(app, upstream.url, [{ model_id: 'acme/embed', type: 'embedding' }]);
    upstream.answer(() => Response.json({ data: [{ id: 'm-1' }] }));
    expect((await tool(id, 'test')).data.ok).toBe(true);
    expect(upstream.seen.at(-1)!.path).toBe('/v1/models');
    const demo = await addUpstream(app, '', [], { kind: 'demo', base_url: undefined });
    expect((await tool(demo, 'test')).data.ok).toBe(true);
  });

  test('errors contain the upstream’s message but never the credential', async () => {
    const id = await addUpstream(app, upstream.url, [{ model_id: 'acme/x' }]);
    upstream.answer(() => Response.json({ error: { message: 'bad key up-secret-credential given' } }, { status: 401 }));
    const refused = await tool(id, 'test');
    expect([refused.status, refused.data.ok]).toEqual([200, false]);
    expect(refused.data.error).toContain('401');
    upstream.answer(() => Response.json({ error: { message: 'oops up-secret-credential' } }));
    const embedded = await tool(id, 'test');
    expect(embedded.data.ok).toBe(false);
    const resetting = resettingUpstream();
    const gone = await tool(await addUpstream(app, resetting.url, [{ model_id: 'acme/y' }]), 'test');
    expect([gone.data.ok, typeof gone.data.error]).toEqual([false, 'string']);
    resetting.close();
    for (const { body } of [refused, embedded, gone])
      expect(JSON.stringify(body)).not.toContain('up-secret-credential');
  });

  test('times out after 15 seconds', async () => {
    const id = await addUpstream(app, upstream.url, [{ model_id: 'acme/silent' }]);
    upstream.answer(stall);
    const asked = upstream.next();
    const tested = tool(id, 'test');
    const seen = await asked;
    ahead = 16_000;
    expect((await tested).data).toMatchObject({ ok: false, error: 'no response within 15 s' });
    await seen.aborted;
    ahead = 0;
  });

  test('requires an administrator and returns 404 for a missing channel', async () => {
    const user = await app.user();
    expect((await user.call('/api/admin/channels/1/test', { method: 'POST', body: {} })).status).toBe(403);
    expect((await tool(999_999, 'test')).status).toBe(404);
    expect((await tool(999_999, 'sync-models')).status).toBe(404);
  });
});

describe('sync-models', () => {
  test('adds models listed by the upstream and keeps existing ones', async () => {
    const id = await addUpstream(app, upstream.url, [{ model_id: 'acme/kept', model_name: 'kept', prompt_price: 5 }], {
      provider: 'ollama',
    });
    const listed = [{ id: 'kept' }, { id: 'fresh', context_length: 4_096 }, { id: 'text-embed' }];
    upstream.answer(() => Response.json({ object: 'list', data: listed }));
    const { status, data } = await tool(id, 'sync-models');
    expect(status).toBe(200);
    const added = data.added as Json[];
    expect(added.map((model) => [model.model_name, model.type])).toEqual([
      ['fresh', 'chat'],
      ['text-embed', 'embedding'],
    ]);
    expect(added[0]).toMatchObject({ channel_id: id, context_length: 4_096 });
    expect([data.kept, data.missing]).toEqual([1, []]);
    const again = await tool(id, 'sync-models');
    expect([again.data.added, again.data.kept]).toEqual([[], 3]);
  });

  test('reports an unreadable list without the credential and changes nothing', async () => {
    const id = await addUpstream(app, upstream.url, []);
    for (const reply of [
      () => Response.json({ error: { message: 'who is up-secret-credential' } }, { status: 403 }),
      () => new Response('<html>'),
    ]) {
      upstream.answer(reply);
      const { status, body } = await tool(id, 'sync-models');
      expect([status, body.success]).toEqual([502, false]);
      expect(JSON.stringify(body)).not.toContain('up-secret-credential');
    }
  });

  test('models of the built-in provider are free and enabled', async () => {
    const id = await addUpstream(app, '', [], { kind: 'demo', base_url: undefined, provider: 'demo' });
    const { data } = await tool(id, 'sync-models');
    expect((data.added as Json[]).length).toBeGreaterThan(7);
    expect(data.unpriced).toBe(0);
  });
});
