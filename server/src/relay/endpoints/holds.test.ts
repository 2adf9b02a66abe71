import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { silence } from '../../lib/audio/sounds.fixture.ts';
import { addUpstream, type Script, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';
import { openRelayTest, type RelayTest } from './relay.fixture.ts';

const rich = 1_000_000_000;
const picture = Buffer.from('iVBORw0KGgo=', 'base64').toString('base64');
/** One unit a token, and a thousand for each request, picture, minute or search. */
const price = { prompt_price: 2, completion_price: 2, request_price: 0.002 };
const dense = '~^|`{@#%&*<>'.repeat(200);
const types = ['embedding', 'rerank', 'moderation', 'image', 'speech', 'transcription'];

let relay: RelayTest;
let upstream: ScriptedUpstream;
let during = 0;
let script: Script;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(async (request) => {
    during = (await relay.money()).quota;
    return script(request);
  });
  await addUpstream(
    relay.test,
    upstream.url,
    types.map((type) => ({ model_id: `dear/${type}`, type, ...price })),
  );
  await relay.credit(rich);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const form = (): FormData => {
  const data = new FormData();
  data.append('model', 'dear/transcription');
  data.append('file', new File([silence(60)], 'minute.wav'));
  return data;
};

interface Case {
  path: string;
  body: () => unknown;
  /** An answer that reports this many tokens and units. */
  answer: (tokens: unknown, units: unknown) => Response;
  /** The most that an honest upstream reports. */
  honest: [tokens: number, units: number];
}

const table: Record<string, Case> = {
  embeddings: {
    path: '/v1/embeddings',
    body: () => ({ model: 'dear/embedding', input: [dense, dense, [1, 2, 3]], instruction: dense }),
    answer: (tokens) =>
      Response.json({
        data: [0, 1, 2].map((index) => ({ object: 'embedding', index, embedding: [0.5] })),
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      }),
    honest: [7_000, 1],
  },
  rerank: {
    path: '/v1/rerank',
    body: () => ({ model: 'dear/rerank', query: dense, documents: [dense, 'b', dense] }),
    answer: (tokens, units) =>
      Response.json({
        results: [{ index: 0, relevance_score: 1 }],
        usage: { total_tokens: tokens },
        meta: { billed_units: { search_units: units } },
      }),
    honest: [11_000, 2],
  },
  moderations: {
    path: '/v1/moderations',
    body: () => ({ model: 'dear/moderation', input: dense }),
    answer: (tokens) => Response.json({ results: [{ flagged: false }], usage: { prompt_tokens: tokens } }),
    honest: [2_000, 1],
  },
  images: {
    path: '/v1/images/generations',
    body: () => ({ model: 'dear/image', prompt: dense, n: 2, quality: 'high', response_format: 'b64_json' }),
    answer: (tokens, units) =>
      Response.json({
        data: Array(units === 1e308 ? 40 : 2).fill({ b64_json: picture }),
        usage: { input_tokens: tokens, output_tokens: tokens },
      }),
    honest: [2_300, 2],
  },
  transcription: {
    path: '/v1/audio/transcriptions',
    body: form,
    answer: (tokens, units) =>
      Response.json({
        text: 'good morning',
        usage: { input_tokens: tokens, output_tokens: tokens, seconds: Number(units) * 60 },
      }),
    honest: [500, 1],
  },
  speech: {
    path: '/v1/audio/speech',
    body: () => ({ model: 'dear/speech', input: '7 '.repeat(900), voice: 'alloy', response_format: 'pcm' }),
    answer: () => new Response(Buffer.alloc(48_000 * 60 * 6), { headers: { 'content-type': 'audio/pcm' } }),
    honest: [0, 0],
  },
};

async function ask(one: Case, answer: Script): Promise<{ status: number; held: number; cost: number }> {
  script = answer;
  const before = (await relay.money()).quota;
  const answered = await relay.post(one.path, one.body());
  await answered.bytes();
  return { status: answered.status, held: before - during, cost: before - (await relay.money()).quota };
}

for (const [name, one] of Object.entries(table)) {
  describe(name, () => {
    test('the hold covers the cost reported by the upstream', async () => {
      const { status, held, cost } = await ask(one, () => one.answer(...one.honest));
      expect(status).toBe(200);
      expect(cost).toBeGreaterThan(0);
      expect(cost).toBeLessThanOrEqual(held);
    });

    for (const lie of [null, 0, -5, 1.5, 'many', 1e308, Number.MAX_SAFE_INTEGER]) {
      test(`reported usage ${JSON.stringify(lie)} is ignored`, async () => {
        const { status, held, cost } = await ask(one, () => one.answer(lie, lie));
        expect(status).toBe(200);
        expect(cost).toBeGreaterThan(0);
        expect(cost).toBeLessThanOrEqual(held);
      });
    }
  });
}
