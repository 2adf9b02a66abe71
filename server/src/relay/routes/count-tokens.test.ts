import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream, stall } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream();
  const priced = { prompt_price: 3, completion_price: 15 };
  await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/claude', model_name: 'claude-x', ...priced }], {
    kind: 'anthropic',
    provider: 'anthropic',
  });
  await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/other', ...priced }]);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: 'user', content: 'How many tokens are these words?' }];
const count = (body: Json = {}, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  relay.post(
    '/v1/messages/count_tokens',
    { model: 'acme/claude', messages, ...body },
    { headers, ...(signal && { signal }) },
  );

test('the vendor counts; no balance needed and no charge', async () => {
  upstream.answer(() => Response.json({ input_tokens: 321 }));
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'something' };
  const answer = await count({ system: 'Be brief.', max_tokens: 5, provider: {} }, headers);
  expect(await answer.json()).toEqual({ input_tokens: 321 });
  const sent = upstream.seen.at(-1)!;
  expect(sent.path).toBe('/v1/messages/count_tokens');
  expect(sent.body).toEqual({ model: 'claude-x', messages, system: 'Be brief.' });
  expect(sent.headers.get('x-api-key')).toBe('up-secret-credential');
  expect(sent.headers.get('anthropic-beta')).toContain('something');
  expect(await relay.usage()).toEqual([]);
});

test('accepts x-api-key', async () => {
  const answer = await relay.test.call('/v1/messages/count_tokens', {
    method: 'POST',
    headers: { 'x-api-key': relay.key },
    body: { model: 'acme/claude', messages },
  });
  expect(answer.status).toBe(200);
});

test('the local tokenizer counts if the vendor cannot or fails', async () => {
  const other = (await (await count({ model: 'acme/other' })).json()) as { input_tokens: number };
  expect(other.input_tokens).toBeGreaterThan(6);
  expect(other.input_tokens).toBeLessThan(30);
  for (const fail of [() => new Response('no', { status: 404 }), () => Response.json({}), () => new Response('<')]) {
    upstream.answer(fail);
    expect(await (await count()).json()).toEqual(other);
  }
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const withImage = [{ role: 'user', content: [image, { type: 'text', text: 'x' }] }];
  const seen = (await (await count({ model: 'acme/other', messages: withImage })).json()) as typeof other;
  expect(seen.input_tokens).toBeGreaterThan(1_600);
  expect(seen.input_tokens).toBeLessThan(1_700);
});

test('an error of the request is returned in Anthropic’s format', async () => {
  upstream.answer(() =>
    Response.json({ type: 'error', error: { type: 'invalid_request_error', message: 'tools: bad' } }, { status: 400 }),
  );
  const answer = await count();
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'tools: bad' },
  });
  const missing = await count({ messages: undefined });
  expect(missing.status).toBe(400);
  expect(await missing.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
});

test('a client that disconnects ends the upstream call', async () => {
  upstream.answer(stall);
  const leaving = new AbortController();
  const asked = upstream.next();
  const answer = count({}, {}, leaving.signal);
  const seen = await asked;
  leaving.abort();
  await seen.aborted;
  expect((await answer).status).toBe(499);
});
