import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

type Loose = Record<string, unknown>;

let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream();
  for (const [wire, kind] of Object.entries({ chat: 'openai', gemini: 'gemini' }))
    await addUpstream(
      relay.test,
      wire === 'gemini' ? upstream.url.replace('/v1', '') : upstream.url,
      [{ model_id: `embed/${wire}`, model_name: 'up', type: 'embedding' }],
      { kind, provider: `kind-${wire}`, name: wire },
    );
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const ask = (model: string, body: unknown, method: string) => relay.post(`/v1beta/models/${model}:${method}`, body);
const errorOf = async (answer: Response) => ((await answer.json()) as { error: Loose }).error;

describe('embeddings', () => {
  const one = {
    content: { parts: [{ text: 'tea' }] },
    taskType: 'RETRIEVAL_DOCUMENT',
    title: 'T',
    output_dimensionality: 2,
  };

  test('Gemini gets task type and title, others do not', async () => {
    upstream.answer(() => Response.json({ embeddings: [{ values: [1, 2] }] }));
    expect(await (await ask('embed/gemini', one, 'embedContent')).json()).toEqual({ embedding: { values: [1, 2] } });
    expect(upstream.seen.at(-1)!.body).toMatchObject({
      requests: [{ taskType: 'RETRIEVAL_DOCUMENT', title: 'T', outputDimensionality: 2 }],
    });
    upstream.answer(() =>
      Response.json({
        data: [
          { index: 1, embedding: [3] },
          { index: 0, embedding: [1] },
        ],
      }),
    );
    const answer = await ask('embed/chat', { requests: [one, one] }, 'batchEmbedContents');
    expect(await answer.json()).toEqual({ embeddings: [{ values: [1] }, { values: [3] }] });
    expect(upstream.seen.at(-1)!.body).toEqual({ model: 'up', input: ['tea', 'tea'], dimensions: 2 });
    expect(await relay.usageOf(answer)).toMatchObject({
      model: 'embed/chat',
      endpoint: '/v1beta/models:batchEmbedContents',
    });
  });

  test.each<[string, Loose]>([
    ['embedContent', {}],
    ['embedContent', { content: { parts: [] } }],
    ['embedContent', { content: { parts: [{ inlineData: {} }] } }],
    ['batchEmbedContents', { requests: [] }],
    ['batchEmbedContents', { requests: [one, { content: one.content }] }],
  ])('%s %j is rejected', async (method, body) => {
    expect(await errorOf(await ask('embed/chat', body, method))).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
    });
  });
});
