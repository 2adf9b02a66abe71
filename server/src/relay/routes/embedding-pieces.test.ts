/** Vendors take fewer inputs at once than a request may have. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { bedrockKind } from '../providers/bedrock.ts';
import { vertexGemini } from '../providers/vertex/gemini.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream();
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

/** The number in a text is its vector, so that a test sees whose it is. */
const vectorOf = (text: string): number[] => [Number(text.slice(1)), 0.5];

/** In OpenAI's format, in any order, and in Google's. */
function answer({ body }: { body: unknown }): Response {
  const { input, requests } = body as { input?: string[]; requests?: { content: { parts: { text: string }[] } }[] };
  if (requests)
    return Response.json({
      embeddings: requests.map(({ content }) => ({ values: vectorOf(content.parts[0]!.text) })),
    });
  const data = input!.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
  const prompt_tokens = input!.length;
  return Response.json({ data: data.toReversed(), usage: { prompt_tokens, total_tokens: prompt_tokens } });
}

const sizeOf = ({ body }: { body: unknown }): number =>
  ((body as Json).input as unknown[] | undefined)?.length ?? ((body as Json).requests as unknown[]).length;

test.each([
  ['gemini', 'gemini', 100],
  ['openai', 'google-openai', 100],
  ['openai', 'mistral', 512],
  ['openai', 'cohere', 96],
  ['openai', 'openai', 2_048],
])('%s as %s gets at most %d inputs at once', async (kind, provider, most) => {
  const model_id = `acme/${provider}`;
  await addUpstream(relay.test, upstream.url, [{ model_id, type: 'embedding' }], { kind, provider });
  upstream.answer(answer);
  for (const count of [1, most, most + 1, 2_048].filter((one) => one <= 2_048)) {
    upstream.seen.length = 0;
    const input = Array.from({ length: count }, (_, n) => `t${n}`);
    const { data } = (await (await relay.post('/v1/embeddings', { model: model_id, input })).json()) as {
      data: { index: number; embedding: number[] }[];
    };
    expect(data.map(({ embedding }) => embedding[0])).toEqual(input.map((_, n) => n));
    expect(data.map(({ index }) => index)).toEqual(input.map((_, n) => n));
    expect(upstream.seen.length).toBe(Math.ceil(count / most));
    expect(Math.max(...upstream.seen.map(sizeOf))).toBeLessThanOrEqual(most);
  }
});

test('tokens of one input are not divided', async () => {
  upstream.answer(() => Response.json({ data: [{ index: 0, embedding: [1] }] }));
  upstream.seen.length = 0;
  const input = Array(600).fill(7);
  expect((await relay.post('/v1/embeddings', { model: 'acme/mistral', input })).status).toBe(200);
  expect(upstream.seen.map(({ body }) => (body as Json).input)).toEqual([input]);
});

const sizes = (split: ((body: Json, target: never) => Json[]) | undefined, modelName: string): number[] =>
  split!({ input: Array(300).fill('a') }, { modelName } as never).map(({ input }) => [input].flat().length);

test('Google Cloud and Amazon, by model', () => {
  expect(sizes(vertexGemini.embeddings!.split, 'gemini-embedding-001')).toEqual(Array(300).fill(1));
  expect(sizes(vertexGemini.embeddings!.split, 'text-embedding-005')).toEqual([250, 50]);
  const cohere = bedrockKind.forModel!('cohere.embed-v4:0');
  expect(sizes(cohere.embeddings!.split, '')).toEqual([96, 96, 96, 12]);
});
