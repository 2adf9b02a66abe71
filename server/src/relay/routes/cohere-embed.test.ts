import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import { toBase64 } from '../wire/embeddings.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;
const vectors = [
  [0.5, -0.25],
  [1, 2],
];
beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream(() =>
    Response.json({
      object: 'list',
      // In another order than they were given: the number says which is which.
      data: [1, 0].map((index) => ({ object: 'embedding', index, embedding: vectors[index] })),
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  );
  const models = [{ model_id: 'acme/embed', type: 'embedding', model_name: 'up', prompt_price: 1 }];
  await addUpstream(relay.test, upstream.url, models);
  await relay.credit(1_000_000);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const asked = { model: 'acme/embed', texts: ['a', 'b'], input_type: 'search_document' };
const embed = (fields: Json = {}) => relay.post('/v2/embed', { ...asked, ...fields });

test('texts are embedded, returned in Cohere’s format, and charged', async () => {
  const answer = await embed({ embedding_types: ['float', 'base64'], output_dimension: 2, truncate: 'END' });
  expect(await answer.json()).toEqual({
    id: expect.any(String),
    embeddings: { float: vectors, base64: vectors.map((vector) => toBase64(vector)) },
    texts: ['a', 'b'],
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 4 } },
    response_type: 'embeddings_by_type',
  });
  expect(answer.headers.get('x-svc-cost')).toBe('2');
  expect(upstream.seen.at(-1)!.body).toEqual({ model: 'up', input: ['a', 'b'], dimensions: 2 });
  expect(await relay.usageOf(answer)).toMatchObject({ endpoint: '/v2/embed', quota: 2, prompt_tokens: 4 });
});

test('texts can be sent as inputs', async () => {
  const inputs = ['a', 'b'].map((text) => ({ content: [{ type: 'text', text }] }));
  const answer = await embed({ texts: undefined, inputs });
  expect(await answer.json()).toMatchObject({ texts: ['a', 'b'], embeddings: { float: vectors } });
});

test.each<[Json, string]>([
  [{ input_type: undefined }, 'input_type'],
  [{ input_type: 'image' }, 'images'],
  [{ texts: undefined }, 'texts'],
  [{ texts: [] }, 'texts'],
  [{ texts: [7] }, 'texts[0]'],
  [{ texts: Array(97).fill('a') }, '96'],
  [{ images: ['data:image/png;base64,AA'] }, 'images'],
  [{ texts: undefined, inputs: [{ content: [{ type: 'image_url', image_url: {} }] }] }, 'image_url'],
  [{ embedding_types: ['int8'] }, 'embedding_types'],
  [{ output_dimension: 0 }, 'output_dimension'],
  [{ truncate: 'MIDDLE' }, 'truncate'],
])('%j is rejected by name in Cohere’s error format', async (fault, name) => {
  const before = upstream.seen.length;
  const answer = await embed(fault);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ message: expect.stringContaining(name) });
  expect(upstream.seen.length).toBe(before);
});
