import { describe, expect, test } from 'bun:test';
import { UpstreamFault } from '../../wire/conversation.ts';
import { fitEmbeddings } from '../../wire/embeddings.ts';
import type { Target } from '../kind.ts';
import { openaiKind } from '../openai.ts';

const target = (provider: string, modelName: string): Target => ({
  baseUrl: 'https://api.openai.com/v1',
  credential: 'sk-upstream',
  modelName,
  provider,
});

describe('other endpoints', () => {
  test('embeddings in both formats, whatever the upstream returns', async () => {
    const floats = {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -2] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    };
    const { body, usage } = openaiKind.embeddings!.fromUpstream(floats, { encoding_format: 'base64' });
    const asBase64 = await fitEmbeddings(body.data as unknown[], 'base64');
    const coded = (asBase64 as { embedding: string }[])[0]!.embedding;
    expect([...new Float32Array(new Uint8Array(Buffer.from(coded, 'base64')).buffer)]).toEqual([0.5, -2]);
    expect(await fitEmbeddings(asBase64, 'float')).toEqual(floats.data);
    expect(usage).toEqual({ promptTokens: 3, completionTokens: 0 });
  });

  test('rerank answers of several vendors are normalised', () => {
    const body = { model: 'r', query: 'q', documents: ['a', { text: 'b' }], top_n: 5 };
    const { body: answer } = openaiKind.rerank!.fromUpstream(
      {
        results: [
          { index: 0, relevance_score: 0.1 },
          { index: 1, relevance_score: 0.9 },
        ],
        meta: { billed_units: { search_units: 1 } },
      },
      body,
    );
    expect(answer).toEqual({
      id: null,
      model: 'r',
      results: [
        { index: 1, relevance_score: 0.9, document: { text: 'b' } },
        { index: 0, relevance_score: 0.1, document: { text: 'a' } },
      ],
      usage: { total_tokens: 0, search_units: 1 },
    });
    const jina = openaiKind.rerank!.fromUpstream(
      { data: [{ index: 0, score: 1 }], usage: { total_tokens: 4 } },
      { ...body, return_documents: false },
    );
    expect(jina.body.results).toEqual([{ index: 0, relevance_score: 1 }]);
    expect(jina.usage?.promptTokens).toBe(4);
  });

  test('forms get the upstream model name and keep the file', () => {
    const form = new FormData();
    form.append('model', 'public');
    form.append('file', new Blob(['x']), 'a.wav');
    form.append('timestamp_granularities[]', 'word');
    const request = openaiKind.transcriptions!.toUpstream(form, target('openai', 'whisper-1'));
    const body = request.body as FormData;
    expect(body.getAll('model')).toEqual(['whisper-1']);
    expect((body.get('file') as File).name).toBe('a.wav');
    expect(request.headers['content-type']).toBeUndefined();
    expect(request.url).toBe('https://api.openai.com/v1/audio/transcriptions');
  });

  test('requests for images, moderations, speech and models', () => {
    const image = openaiKind.images!.toUpstream(
      { prompt: 'p', response_format: 'url' },
      target('openai', 'gpt-image-1'),
    );
    expect(JSON.parse(image.body as string)).toEqual({ prompt: 'p', model: 'gpt-image-1' });
    expect(
      openaiKind.images!.fromUpstream({ created: 1, data: [{ b64_json: 'x' }, { b64_json: 'y' }] }, {}).usage?.units,
    ).toBe(2);
    expect(() => openaiKind.moderations!.fromUpstream({ error: { message: 'x' } }, {})).toThrow(UpstreamFault);
    expect(openaiKind.speech!.toUpstream({ input: 'x', provider: {} }, target('openai', 'tts-1')).body).toBe(
      '{"input":"x","model":"tts-1"}',
    );
    expect(openaiKind.models.fromUpstream({ data: [{ id: 'a', context_length: 10 }, {}] })).toEqual([
      { id: 'a', contextLength: 10 },
    ]);
  });
});
