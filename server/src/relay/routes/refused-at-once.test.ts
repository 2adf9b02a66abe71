import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;
const price = { prompt_price: 1, completion_price: 2, max_output_tokens: 1000 };

beforeAll(async () => {
  relay = await openRelayTest();
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'Tea.' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
  ];
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  upstream = scriptedUpstream(
    () => new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } }),
  );
  await addUpstream(relay.test, upstream.url, [
    { model_id: 'x/paid', ...price },
    { model_id: 'x/free' },
    { model_id: 'x/queued', ...price },
    { model_id: 'x/small', context_length: 4_000 },
  ]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const ask = (body: object, key = relay.key) =>
  relay.post(
    '/v1/responses',
    { model: 'x/free', input: 'Tea?', ...body },
    { headers: { authorization: `Bearer ${key}` } },
  );

interface Refused {
  error: { code: string; param: string | null; message: string };
}

const meta = { model: 'svc/svc-ms', anyKey: true };
const refused: [what: string, body: { [field: string]: unknown }, status: number, code: string][] = [
  ['an unknown model', { model: 'x/none' }, 404, 'model_not_found'],
  ['unknown models only', { model: 'x/none', models: ['x/neither'] }, 404, 'model_not_found'],
  ['a model that the key may not use', { model: 'x/small' }, 403, 'model_not_allowed'],
  ['a built-in model that the key may not use', { model: 'svc/svc-ms' }, 403, 'model_not_allowed'],
  ['a built-in model with a bad option', { svc_ms: { verbosity: 7 }, ...meta }, 400, 'invalid_value'],
  [
    'a built-in model made to use an unknown one',
    { svc_ms: { force_model: 'x/none' }, ...meta },
    404,
    'model_not_found',
  ],
  [
    'a built-in model made to use one above the balance',
    { svc_ms: { force_model: 'x/paid', session_id: 'unpaid' }, ...meta },
    403,
    'insufficient_user_quota',
  ],
  ['a built-in model without a provider', { provider: { only: ['nobody'] }, ...meta }, 404, 'no_available_provider'],
  ['a price above the balance', { model: 'x/paid' }, 403, 'insufficient_user_quota'],
  ['no provider left', { provider: { only: ['nobody'] } }, 404, 'no_available_provider'],
  ['a malformed provider', { provider: { only: 7 } }, 400, 'invalid_value'],
  ['a malformed list of models', { models: 'x/free' }, 400, 'invalid_value'],
];

describe('what would be refused is refused before it is queued', () => {
  let key: string;
  beforeAll(async () => {
    key = await relay.member.key({ models: ['x/free', 'x/paid', 'x/none', 'x/neither'] });
  });

  test.each(refused)('%s', async (_, { anyKey, ...body }, status, code) => {
    const by = anyKey ? relay.key : key;
    const waitedFor = await ask(body, by);
    const queued = await ask({ ...body, background: true }, by);
    const told = (await queued.json()) as Refused;
    expect([queued.status, told.error?.code]).toEqual([status, code]);
    const { error } = (await waitedFor.json()) as Refused;
    expect([waitedFor.status, error]).toEqual([status, told.error]);
    const streamed = await ask({ ...body, stream: true }, by);
    expect([streamed.status, ((await streamed.json()) as Refused).error]).toEqual([status, told.error]);
    expect((await relay.member.call('/api/svc-ms/sessions/unpaid')).status).toBe(404);
  });

  test('an input longer than the model’s context', async () => {
    const input = 'tea '.repeat(20_000);
    const answer = await ask({ model: 'x/small', input, background: true });
    expect([answer.status, ((await answer.json()) as Refused).error.code]).toEqual([404, 'no_available_provider']);
  });

  test('a fallback that can answer is enough', async () => {
    const answer = await ask({ model: 'x/none', models: ['x/free'], background: true }, key);
    expect([answer.status, ((await answer.json()) as { status: string }).status]).toEqual([200, 'queued']);
  });
});

test('what is queued is one decision and one request, and holds nothing until it is asked', async () => {
  await relay.credit(100_000);
  await relay.test.platform.jobs.start();
  const answer = await ask({ model: 'x/queued', background: true });
  const { id } = (await answer.json()) as { id: string };
  await until('it is completed', async () => {
    const now = (await (await relay.get(`/v1/responses/${id}`)).json()) as { status: string };
    if (now.status === 'failed') throw new Error(JSON.stringify(now));
    return now.status === 'completed';
  });
  const { data } = (await (await relay.member.call('/api/routing/decisions?model_id=x/queued')).json()) as {
    data: { decisions: { request_id: string; reason: string }[] };
  };
  expect(data.decisions.map((one) => one.request_id)).toEqual([`${id}-1`]);
  const { quota, used_quota } = await relay.money();
  // 5 tokens at $1 and 2 at $2 a million are $0.000009, and a unit is $0.000002.
  expect([quota, used_quota]).toEqual([100_000 - 5, 5]);
});
