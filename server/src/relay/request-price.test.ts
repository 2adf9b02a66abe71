import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** A model may have a price for each request, beside or instead of one for tokens. */
let relay: RelayTest;
let upstream: ScriptedUpstream;
const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }], usage })}\n\n`;

beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream(({ body }) =>
    (body as { stream: boolean }).stream
      ? new Response(chunk({ content: 'hi' }, null) + chunk({}, 'stop'))
      : Response.json({ id: 'c', choices: [choice], usage }),
  );
  await addUpstream(relay.test, upstream.url, [
    { model_id: 'fee/only', request_price: 0.01 },
    { model_id: 'fee/beside', request_price: 0.01, prompt_price: 10, completion_price: 20 },
  ]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const ask = (model: string, path: string, stream: boolean) =>
  relay.post(path, { model, stream, max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] });

test('returns 403 if the balance does not cover the request price', async () => {
  expect((await ask('fee/only', '/v1/chat/completions', false)).status).toBe(403);
  expect(upstream.seen).toHaveLength(0);
});

for (const [model, cost] of [
  ['fee/only', 5_000],
  ['fee/beside', 5_000 + 4 * 5 + 2 * 10],
] as const)
  for (const path of ['/v1/chat/completions', '/v1/messages'])
    for (const stream of [false, true])
      test(`${model}, ${path}, ${stream ? 'streamed' : 'whole'}: ${cost} units`, async () => {
        await relay.credit(10_000);
        const before = await relay.money();
        const answer = await ask(model, path, stream);
        await answer.text();
        expect((await relay.money()).quota).toBe(before.quota - cost);
        expect(await relay.usageOf(answer)).toMatchObject({ quota: cost, units: 1 });
      });
