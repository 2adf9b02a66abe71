import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** Upstreams in Go and C# read names in any case: what we decide by must not come by another name. */
let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(() => new Response(null, { status: 500 }));
  const types = ['chat', 'embedding', 'image', 'rerank', 'moderation', 'speech'];
  const models = types.map((type) => ({ model_id: `acme/${type}`, type, prompt_price: 1, completion_price: 1 }));
  await addUpstream(relay.test, upstream.url, models);
  await relay.credit(10_000_000);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const messages = [{ role: 'user', content: 'hi' }];
const endpoints: Record<string, { body: Record<string, unknown>; names: Record<string, unknown> }> = {
  '/v1/chat/completions': {
    body: { model: 'acme/chat', messages, max_tokens: 5 },
    names: {
      ...{ Model: 'dear', MESSAGES: messages, Max_Tokens: 100_000, MAX_COMPLETION_TOKENS: 100_000, N: 100 },
      ...{ maxoutputtokens: 100_000, Num_Predict: 100_000, Service_Tier: 'priority', ſervice_tier: 'priority' },
      ...{ 'max_to\u212aens': 100_000, Tools: [], Web_Search_Options: {}, Models: ['dear'], Stream: true },
    },
  },
  '/v1/messages': {
    body: { model: 'acme/chat', messages, max_tokens: 5 },
    names: { Model: 'dear', Max_Tokens: 100_000, System: 'long', Mcp_Servers: [{}], Speed: 'fast' },
  },
  '/v1/responses': {
    body: { model: 'acme/chat', input: 'hi', max_output_tokens: 16 },
    names: { Model: 'dear', Input: 'long', Max_Output_Tokens: 100_000, Instructions: 'long' },
  },
  '/v1beta/models/acme%2Fchat:generateContent': {
    body: { contents: [{ parts: [{ text: 'hi' }] }] },
    names: { Contents: [], GenerationConfig: { maxOutputTokens: 100_000 }, Tools: [{ googleSearch: {} }] },
  },
  '/v1/completions': {
    body: { model: 'acme/chat', prompt: 'hi', max_tokens: 5 },
    names: { Model: 'dear', Prompt: 'long', Best_Of: 100, MAX_TOKENS: 100_000 },
  },
  '/v1/embeddings': { body: { model: 'acme/embedding', input: 'hi' }, names: { Model: 'dear', INPUT: 'long' } },
  '/v1/images/generations': {
    body: { model: 'acme/image', prompt: 'a boat' },
    names: { Model: 'dear', N: 10, Prompt: 'long', Num_Images: 10 },
  },
  '/v1/rerank': {
    body: { model: 'acme/rerank', query: 'a', documents: ['b'] },
    names: { Model: 'dear', Documents: ['long'], Query: 'long' },
  },
  '/v1/moderations': { body: { model: 'acme/moderation', input: 'hi' }, names: { Model: 'dear', Input: 'long' } },
  '/v1/audio/speech': {
    body: { model: 'acme/speech', input: 'hi', voice: 'alloy' },
    names: { Model: 'dear', Input: 'long' },
  },
};
const cases = Object.entries(endpoints).flatMap(([path, { body, names }]) =>
  Object.entries(names).map(([name, value]) => ({ path, name, body: { ...body, [name]: value } })),
);

test.each(cases)('$path refuses $name', async ({ path, name, body }) => {
  const before = upstream.seen.length;
  const answer = await relay.post(path, body);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(name)]);
  expect(upstream.seen.length).toBe(before);
});

test('other names are passed on, in any case', async () => {
  const body = { ...endpoints['/v1/chat/completions']!.body, userTag: 'a', Repetition_Penalty: 1 };
  await (await relay.post('/v1/chat/completions', body)).text();
  expect(upstream.seen.at(-1)!.body).toMatchObject({ userTag: 'a', Repetition_Penalty: 1 });
});
