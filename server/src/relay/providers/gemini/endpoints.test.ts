import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { UpstreamFault } from '../../wire/conversation.ts';
import { fitEmbeddings } from '../../wire/embeddings.ts';
import { geminiKind } from '../gemini.ts';
import type { Target } from '../kind.ts';

const target: Target = {
  baseUrl: 'https://generativelanguage.googleapis.com',
  credential: 'AIza-key',
  modelName: 'gemini-2.5-pro',
};

describe('other endpoints', () => {
  test('embeddings are batched, in both formats', async () => {
    const body = { model: 'm', input: ['a', 'b'], dimensions: 8, encoding_format: 'base64' };
    const request = geminiKind.embeddings!.toUpstream(body, { ...target, modelName: 'gemini-embedding-001' });
    expect(request.url).toEndWith('/v1beta/models/gemini-embedding-001:batchEmbedContents');
    expect(JSON.parse(request.body as string).requests[1]).toEqual({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text: 'b' }] },
      outputDimensionality: 8,
    });
    const upstream = { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] };
    const read = geminiKind.embeddings!.fromUpstream(upstream, body).body;
    const [asBase64] = await fitEmbeddings(read.data as unknown[], 'base64');
    expect(asBase64).toMatchObject({ embedding: 'AACAPwAAAEA=' });
    expect(read).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [1, 2] },
        { object: 'embedding', index: 1, embedding: [3, 4] },
      ],
      model: 'm',
    });
    expect(() => geminiKind.embeddings!.toUpstream({ input: [1, 2] }, target)).toThrow(AppError);
  });

  test('images from Imagen and Gemini', () => {
    const imagen = geminiKind.images!.toUpstream(
      { prompt: 'p', n: 2, size: '1792x1024' },
      { ...target, modelName: 'imagen-4.0' },
    );
    expect(JSON.parse(imagen.body as string)).toEqual({
      instances: [{ prompt: 'p' }],
      parameters: { sampleCount: 2, aspectRatio: '16:9' },
    });
    expect(geminiKind.images!.fromUpstream({ predictions: [{ bytesBase64Encoded: 'iV' }] }, {}).body).toEqual({
      data: [{ b64_json: 'iV' }],
    });
    const inline = {
      candidates: [{ content: { parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'iV' } }] } }],
    };
    expect(geminiKind.images!.fromUpstream(inline, {}).usage?.units).toBe(1);
    expect(() => geminiKind.images!.fromUpstream({ candidates: [] }, {})).toThrow(UpstreamFault);
  });

  test('counts tokens, lists models, and omits unsupported endpoints', () => {
    expect(geminiKind.countTokens!.fromUpstream({ totalTokens: 5 })).toBe(5);
    expect(
      geminiKind.models.fromUpstream({
        models: [{ name: 'models/g', displayName: 'G', inputTokenLimit: 9, outputTokenLimit: 3 }],
      }),
    ).toEqual([{ id: 'g', name: 'G', contextLength: 9, maxOutputTokens: 3 }]);
    expect(geminiKind.rerank).toBeUndefined();
    expect(geminiKind.moderations).toBeUndefined();
  });
});
