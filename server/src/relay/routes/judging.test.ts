import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream, stall } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream();
  await addUpstream(relay.test, upstream.url, [
    { model_id: 'acme/rank', type: 'rerank', model_name: 'rank-1', request_price: 0.002, prompt_price: 1 },
    { model_id: 'acme/judge', type: 'moderation', model_name: 'judge-1', prompt_price: 1 },
  ]);
  await relay.credit(1_000_000);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const send = async (path: string, body: Json) => {
  const answer = await relay.post(path, body);
  return { status: answer.status, cost: answer.headers.get('x-svc-cost'), body: (await answer.json()) as Json };
};

describe('rerank', () => {
  const rank = (body: Json = {}) =>
    send('/v1/rerank', { model: 'acme/rank', query: 'q', documents: ['a', { text: 'b' }, 'c'], ...body });

  test('answers of any vendor are normalised and sorted; documents are sent as plain text', async () => {
    upstream.answer(() =>
      Response.json({
        data: [
          { index: 0, score: 0.1 },
          { index: 1, score: 0.9 },
        ],
        meta: { billed_units: { search_units: 2 } },
      }),
    );
    const { body, cost } = await rank({ top_n: 99, extra: true });
    expect(body).toMatchObject({
      id: expect.stringMatching(/^rerank-/),
      model: 'acme/rank',
      results: [
        { index: 1, relevance_score: 0.9, document: { text: 'b' } },
        { index: 0, relevance_score: 0.1, document: { text: 'a' } },
      ],
      usage: { total_tokens: 4, search_units: 2 },
    });
    expect(upstream.seen.at(-1)!.body).toEqual({
      model: 'rank-1',
      query: 'q',
      documents: ['a', 'b', 'c'],
      top_n: 3,
      extra: true,
    });
    // Two searches at 0.002 USD and four tokens at a millionth of a dollar each.
    expect(cost).toBe('2002');
  });

  test('Cohere’s path returns Cohere’s format at the same price', async () => {
    upstream.answer(() =>
      Response.json({ results: [{ index: 1, relevance_score: 0.9 }], meta: { billed_units: { search_units: 2 } } }),
    );
    const asked = { model: 'acme/rank', query: 'q', documents: ['a', 'b', 'c'], max_tokens_per_doc: 100 };
    const { body, cost } = await send('/v2/rerank', asked);
    expect(body).toEqual({
      id: expect.any(String),
      results: [{ index: 1, relevance_score: 0.9 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 2 }, tokens: { input_tokens: 4 } },
    });
    expect(cost).toBe('2002');
    expect(upstream.seen.at(-1)!.body).toMatchObject({ documents: ['a', 'b', 'c'], max_tokens_per_doc: 100 });
  });

  test('Cohere’s path returns errors in Cohere’s format', async () => {
    const asked = { model: 'acme/rank', query: 'q', documents: ['a'] };
    const faults: [Json, number][] = [
      [{ documents: [] }, 400],
      [{ query: undefined }, 400],
      [{ provider: 7 }, 400],
      [{ model: 'nothing' }, 404],
    ];
    for (const [fault, status] of faults) {
      const { body, ...answered } = await send('/v2/rerank', { ...asked, ...fault });
      expect([fault, answered.status, body]).toEqual([fault, status, { message: expect.any(String) }]);
    }
    upstream.answer(() => Response.json({ results: [] }));
    expect(await send('/v2/rerank', asked)).toMatchObject({ status: 502, body: { message: expect.any(String) } });
    const stranger = await relay.post('/v2/rerank', asked, { headers: { authorization: 'Bearer sk-wrong' } });
    expect([stranger.status, await stranger.json()]).toEqual([401, { message: expect.any(String) }]);
  });

  test('returns 502 if the upstream ranks documents that were not sent, or none', async () => {
    for (const results of [[{ index: 3, relevance_score: 1 }], [], [{ index: -1, relevance_score: 1 }]]) {
      upstream.answer(() => Response.json({ results }));
      expect((await rank()).status).toBe(502);
    }
  });

  test('returns 502 if the upstream ranks a document twice, or without an index or a score', async () => {
    await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/rank-3', type: 'rerank' }]);
    const twice = [0.9, 0.5].map((relevance_score) => ({ index: 1, relevance_score }));
    const unscored = [{ index: 0 }, { index: 1, relevance_score: 0.5 }];
    for (const results of [twice, [{ relevance_score: 1 }], unscored, [{ index: 0, relevance_score: '0.9' }]]) {
      upstream.answer(() => Response.json({ results }));
      const answer = await relay.post('/v1/rerank', { model: 'acme/rank-3', query: 'q', documents: ['a', 'b'] });
      expect([results, answer.status]).toEqual([results, 502]);
    }
  });
});

describe('moderations', () => {
  test('missing categories and a missing flag are filled in', async () => {
    upstream.answer(() =>
      Response.json({
        id: 'm1',
        model: 'judge-1',
        results: [{ categories: { violence: true, own: false }, category_scores: { violence: 0.8 } }],
      }),
    );
    const { body, cost } = await send('/v1/moderations', { input: 'hello world' });
    expect(body).toMatchObject({ id: 'm1', model: 'acme/judge' });
    const [result] = body.results as { flagged: boolean; categories: Json; category_scores: Json }[];
    expect(result!.flagged).toBe(true);
    expect(result!.categories).toMatchObject({ violence: true, sexual: false, 'self-harm/intent': false, own: false });
    expect(result!.category_scores).toMatchObject({ violence: 0.8, hate: 0 });
    // Two tokens at a millionth of a dollar.
    expect(cost).toBe('1');
    expect((upstream.seen.at(-1)!.body as Json).model).toBe('judge-1');
  });

  test('returns 502 for unusable results', async () => {
    for (const results of [[], ['x'], null]) {
      upstream.answer(() => Response.json({ results }));
      expect((await send('/v1/moderations', { input: 'x' })).status).toBe(502);
    }
  });

  test('each text gets its own result, and the parts of an input share one', async () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'https://x/a.png' } },
    ];
    const cases: [input: unknown, verdicts: number, status: number][] = [
      [['a', 'b'], 2, 200],
      [['a', 'b'], 1, 502],
      [['a'], 2, 502],
      ['a', 1, 200],
      ['a', 2, 502],
      [parts, 1, 200],
    ];
    for (const [input, verdicts, status] of cases) {
      upstream.answer(() => Response.json({ results: Array(verdicts).fill({ flagged: false }) }));
      expect([input, verdicts, (await send('/v1/moderations', { input })).status]).toEqual([input, verdicts, status]);
    }
  });
});

test('a client that disconnects ends the upstream call', async () => {
  await addUpstream(relay.test, upstream.url, [
    { model_id: 'acme/rank-2', type: 'rerank' },
    { model_id: 'acme/judge-2', type: 'moderation' },
  ]);
  upstream.answer(stall);
  const bodies: [string, Json][] = [
    ['/v1/rerank', { model: 'acme/rank-2', query: 'q', documents: ['a'] }],
    ['/v1/moderations', { model: 'acme/judge-2', input: 'x' }],
  ];
  for (const [path, body] of bodies) {
    const leaving = new AbortController();
    const asked = upstream.next();
    const answer = relay.post(path, body, { signal: leaving.signal });
    const seen = await asked;
    leaving.abort();
    await seen.aborted;
    expect((await answer).status).toBe(499);
  }
});
