import { describe, expect, test } from 'bun:test';
import { inflateSync } from 'node:zlib';
import { call, type Loose } from './demo-call.test-support.ts';
import { demoFetch } from './demo-fetch.ts';
import { embed } from './embed.ts';
import { demoModels } from './models.ts';

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

describe('models', () => {
  test('the list contains every model of every type', async () => {
    const { body } = await call('/models', undefined);
    expect(body.data.map((model: Loose) => model.id)).toEqual(demoModels.map((model) => model.id));
    expect(new Set(demoModels.map((model) => model.type)).size).toBe(9);
    expect((await call('/nowhere', {})).body.error.code).toBe('not_found');
  });
});

describe('embeddings', () => {
  test('similar texts have similar embeddings', () => {
    const [cat, kitten, money] = [
      'The cats are running in the garden',
      'A cat runs through a garden',
      'Interest rates rose again this quarter',
    ].map((text) => embed(text));
    expect(cosine(cat!, kitten!)).toBeGreaterThan(0.5);
    expect(Math.abs(cosine(cat!, money!))).toBeLessThan(0.25);
    expect(cosine(embed('colour'), embed('colours'))).toBeGreaterThan(0.9);
    expect(cosine(cat!, cat!)).toBeCloseTo(1, 5);
  });

  test('have OpenAI’s format, support dimensions, and return floats or base64', async () => {
    const { body } = await call('/embeddings', { model: 'demo/embed', input: ['one text', 'another'], dimensions: 64 });
    expect(body).toMatchObject({
      object: 'list',
      model: 'demo/embed',
      data: [{ index: 0, object: 'embedding' }, { index: 1 }],
    });
    expect(body.data[0].embedding).toHaveLength(64);
    expect(body.usage.prompt_tokens).toBeGreaterThan(2);
    const packed = await call('/embeddings', {
      model: 'demo/embed',
      input: 'one text',
      dimensions: 64,
      encoding_format: 'base64',
    });
    const bytes = Buffer.from(packed.body.data[0].embedding, 'base64');
    expect([...new Float32Array(bytes.buffer, bytes.byteOffset, 64)]).toEqual(body.data[0].embedding);
    expect((await call('/embeddings', { model: 'demo/embed', input: [[1, 2], [3]] })).body.data).toHaveLength(2);
  });

  test.each([[''], [[]], [undefined], [['fine', '']], ['word '.repeat(9000)]])(
    '%#: invalid input is rejected',
    async (input) => {
      const answer = await call('/embeddings', { model: 'demo/embed', input });
      expect(answer.status).toBe(400);
      expect(answer.body.error.param).toBe('input');
    },
  );
});

describe('rerank', () => {
  const documents = ['Bread is baked.', { text: 'The capital of France is Paris.' }, 'France has a capital.'];

  test('sorts by overlap, scores between 0 and 1, and clamps top_n', async () => {
    const { body } = await call('/rerank', {
      model: 'demo/rerank',
      query: 'What is the capital of France, Paris?',
      documents,
      top_n: 50,
    });
    expect(body.results.map((result: Loose) => result.index)).toEqual([1, 2, 0]);
    expect(body.results[0].document).toEqual({ text: 'The capital of France is Paris.' });
    expect(body.results.every((result: Loose) => result.relevance_score >= 0 && result.relevance_score <= 1)).toBe(
      true,
    );
    expect(body.usage).toMatchObject({ search_units: 1 });
    expect(body.usage.total_tokens).toBeGreaterThan(10);
  });

  test('omits documents on request', async () => {
    const { body } = await call('/rerank', {
      model: 'demo/rerank',
      query: 'bread',
      documents,
      top_n: 1,
      return_documents: false,
    });
    expect(body.results).toEqual([{ index: 0, relevance_score: expect.any(Number) }]);
    expect((await call('/rerank', { model: 'demo/rerank', query: 'x', documents: [] })).status).toBe(400);
  });
});

describe('moderations', () => {
  test('rate each text in thirteen categories', async () => {
    const { body } = await call('/moderations', { input: ['I want to bake bread', 'I will kill you and shoot him'] });
    expect(body.results.map((result: Loose) => result.flagged)).toEqual([false, true]);
    expect(Object.keys(body.results[0].categories)).toHaveLength(13);
    expect(body.results[1].categories).toMatchObject({ violence: true, 'harassment/threatening': true, sexual: false });
    expect(body.results[1].category_scores.violence).toBeGreaterThan(0.5);
    const parts = [
      { type: 'text', text: 'hello' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    expect((await call('/moderations', { model: 'demo/moderation', input: parts })).body.results).toHaveLength(1);
  });
});

describe('images', () => {
  const ask = { model: 'demo/image', prompt: 'a lighthouse' };
  const read = (base64: string): { width: number; height: number; raw: Buffer } => {
    const png = Buffer.from(base64, 'base64');
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    const length = png.readUInt32BE(33);
    return {
      width: png.readUInt32BE(16),
      height: png.readUInt32BE(20),
      raw: inflateSync(png.subarray(41, 41 + length)),
    };
  };

  test('are real PNGs of the requested size, drawn from the prompt', async () => {
    const { body } = await call('/images/generations', { ...ask, size: '96x64', n: 2 });
    const [first, second] = body.data.map((item: Loose) => read(item.b64_json));
    expect([first.width, first.height]).toEqual([96, 64]);
    expect(first.raw).toHaveLength(64 * (96 * 3 + 1));
    expect(first.raw.equals(second.raw)).toBe(false);
    // Dots of the label, white on dark, among colours that are neither.
    const bytes = [...first.raw.subarray(-(96 * 3 + 1) * 3)];
    expect(new Set(bytes).size).toBeGreaterThan(2);
    const again = await call('/images/generations', { ...ask, size: '96x64' });
    expect(again.body.data[0].b64_json).toBe(body.data[0].b64_json);
    expect(body.data[0].revised_prompt).toContain('Simulation');
  });

  test('are limited to 2048x2048', async () => {
    const { body } = await call('/images/generations', { ...ask, size: '2048x2048' });
    expect(read(body.data[0].b64_json).width).toBe(2048);
    for (const size of ['2049x64', '8x8', 'big', '0x0']) {
      const answer = await call('/images/generations', { ...ask, size });
      expect([answer.status, answer.body.error.param]).toEqual([400, 'size']);
    }
    expect((await call('/images/generations', { ...ask, n: 11 })).body.error.param).toBe('n');
  });
});

test('rejects if the client has already disconnected', async () => {
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(demoFetch({ path: '/models', body: undefined, stream: false, signal })).rejects.toThrow('gone');
});
