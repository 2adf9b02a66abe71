import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { catchUp } from '../billing/store/filing.ts';
import { freePort } from '../lib/free-port.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import {
  addUpstream,
  type Script,
  type ScriptedUpstream,
  scriptedUpstream,
} from '../relay/scripted-upstream.fixture.ts';
import { limits } from './limits.ts';

let service: TestApp;
let server: ReturnType<typeof Bun.serve>;
let upstream: ScriptedUpstream;
let ada: Member;
let key: string;
let openai: OpenAI;
let anthropic: Anthropic;

const model = 'batch/chat';
const said = (text: string): Response =>
  Response.json({
    ...{ id: 'x', object: 'chat.completion', created: 1, model: 'up' },
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  });
const wordsOf = ({ body }: Parameters<Script>[0]): string =>
  JSON.stringify((body as { messages: unknown[] }).messages.at(-1));
const echo: Script = (request) =>
  wordsOf(request).includes('bad')
    ? Response.json({ error: { message: 'no', type: 'invalid_request_error', code: 'invalid_value' } }, { status: 400 })
    : said('fine');

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  service = await openTestApp({ env: { DEMO_PROVIDER: 'on', BASE_URL: url } });
  await service.setOption('RateLimitEnabled', false);
  await service.app.start();
  server = Bun.serve({ port, hostname: '127.0.0.1', fetch: (request, own) => service.app.fetch(request, own) });
  upstream = scriptedUpstream(echo);
  // 5 and 10 units a token: 150 for an answer.
  await addUpstream(service, upstream.url, [{ model_id: model, prompt_price: 10, completion_price: 20 }]);
  ada = await service.user();
  key = await ada.key();
  await credit(ada, 10_000_000);
  openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
});
beforeEach(() => upstream.answer(echo));
afterAll(async () => {
  await server.stop(true);
  await service.close();
  await upstream.close();
});

const credit = async (member: Member, quota: number) => {
  const root = await service.root();
  await root.call(`/api/admin/users/${member.id}/credits`, { method: 'POST', body: { quota } });
};

const chat = (content: string, more: object = {}) => ({
  model,
  max_tokens: 10,
  messages: [{ role: 'user', content }],
  ...more,
});
const lineOf = (id: string, body: unknown, url = '/v1/chat/completions') =>
  JSON.stringify({ custom_id: id, method: 'POST', url, body });

async function begin(lines: string[], more: object = {}, client = openai) {
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
    purpose: 'batch',
  });
  return client.batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    ...more,
  });
}

async function ended(id: string, client = openai) {
  let batch = await client.batches.retrieve(id);
  await until('the batch has ended', async () => {
    batch = await client.batches.retrieve(id);
    return ['completed', 'failed', 'cancelled', 'expired'].includes(batch.status);
  });
  return batch;
}

interface Result {
  custom_id: string;
  response: {
    status_code: number;
    body: { choices: { message: { content: string } }[]; error: { code: string } };
  } | null;
  error: { code: string } | null;
}
const resultsOf = async (fileId: string | null | undefined, client = openai): Promise<Result[]> => {
  const text = await (await client.files.content(fileId!)).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
};

const usageOf = async (batchId: string) => {
  const { db } = service.platform.database;
  await catchUp(db);
  return db.selectFrom('usage_logs').selectAll().where('parent_request_id', '=', batchId).execute();
};

const faultOf = async (asked: PromiseLike<unknown>) => {
  try {
    await asked;
    return null;
  } catch (error) {
    return error as { status: number; error: Record<string, unknown> };
  }
};

test('OpenAI’s client: each request is answered once, at the batch price', async () => {
  await service.setOption('BatchPriceFactor', 0.5);
  const lines = [lineOf('a', chat('one')), lineOf('b', chat('bad')), '', lineOf('c', chat('three'))];
  const batch = await begin(lines, { metadata: { night: 'first' } });
  expect(batch).toMatchObject({ object: 'batch', status: 'validating', metadata: { night: 'first' } });
  const done = await ended(batch.id);
  expect(done).toMatchObject({ status: 'completed', model, request_counts: { total: 3, completed: 2, failed: 1 } });
  const output = await resultsOf(done.output_file_id);
  expect(output.map((one) => one.custom_id)).toEqual(['a', 'c']);
  expect(output[0]!.response!.body.choices[0]!.message.content).toBe('fine');
  const [error] = await resultsOf(done.error_file_id);
  expect(error).toMatchObject({ custom_id: 'b', response: { status_code: 400 }, error: null });
  await until('usage is written', async () => (await usageOf(batch.id)).length === 2);
  expect((await usageOf(batch.id)).map((row) => row.quota)).toEqual([75, 75]);
  // So is what a model of ours asks others for it.
  const ours = { model: 'svc/svc-ms', svc_ms: { force_model: model, remember: false } };
  const turns = await begin([lineOf('a', chat('What is it?', ours))]);
  expect(await ended(turns.id)).toMatchObject({ request_counts: { completed: 1 } });
  expect((await usageOf(turns.id)).map((row) => row.quota)).toEqual([75]);
  await service.setOption('BatchPriceFactor', 1);
  const list: string[] = [];
  for await (const one of openai.batches.list({ limit: 1 })) list.push(one.id);
  expect(list).toEqual([turns.id, batch.id]);
  const left = () => service.platform.database.db.selectFrom('batch_requests').select('position').execute();
  await until('no rows are left', async () => (await left()).length === 0);
});

test('an input file may begin with a byte order mark, as programs of Windows write it', async () => {
  const { status, request_counts: counts } = await ended(
    (await begin([`\ufeff${lineOf('a', chat('one'))}`, lineOf('b', chat('two'))])).id,
  );
  expect([status, counts]).toEqual(['completed', { total: 2, completed: 2, failed: 0 }]);
  expect((await ended((await begin(['\ufeff', ''])).id)).errors!.data![0]).toMatchObject({ code: 'empty_file' });
});

test('an invalid input file is reported line by line, and no request is sent', async () => {
  const asked = upstream.seen.length;
  const lines = [
    ...[lineOf('a', chat('one')), 'not json', lineOf('a', chat('two')), lineOf('b', chat('x', { model: 'other' }))],
    ...[lineOf('c', chat('x', { stream: true })), lineOf('d', chat('x'), '/v1/embeddings'), '[1]', '{"custom_id":""}'],
  ];
  const failed = await ended((await begin(lines)).id);
  expect(failed.status).toBe('failed');
  expect(failed.errors!.data!.map(({ code, line }) => [code, line])).toEqual([
    ...([
      ['invalid_json_line', 2],
      ['duplicate_custom_id', 3],
      ['mismatched_model', 4],
    ] as [string, number][]),
    ...([
      ['unsupported_parameter', 5],
      ['invalid_url', 6],
      ['invalid_json_line', 7],
    ] as [string, number][]),
    ['missing_required_parameter', 8],
  ]);
  const spaced = await ended(
    (await begin(['', lineOf('a', chat('one')), '  ', lineOf('b'.repeat(513), chat('x'))])).id,
  );
  expect(spaced.errors!.data).toEqual([
    {
      ...{ code: 'missing_required_parameter', param: 'custom_id', line: 4 },
      message: 'custom_id must be a string of 1 to 512 characters.',
    },
  ]);
  const empty = await ended((await begin(['\n'])).id);
  expect(empty.errors!.data![0]).toMatchObject({ code: 'empty_file' });
  expect(upstream.seen.length).toBe(asked);
  const none = await faultOf(openai.batches.retrieve('batch_none'));
  expect(none).toMatchObject({ status: 404, error: { code: 'not_found' } });
  const noFile = { input_file_id: 'file-none', endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  expect(await faultOf(openai.batches.create(noFile))).toMatchObject({ status: 404 });
  expect(await faultOf(openai.batches.create({ ...noFile, endpoint: '/v1/videos' }))).toMatchObject({ status: 400 });
  const other = new OpenAI({ apiKey: await (await service.user()).key(), baseURL: openai.baseURL, maxRetries: 0 });
  expect(await faultOf(other.batches.retrieve(failed.id))).toMatchObject({ status: 404 });
});

test('a batch for an unknown model fails before any request; others may be named beside it', async () => {
  const before = upstream.seen.length;
  const unknown = { model: 'batch/none' };
  const { status, errors } = await ended((await begin(['a', 'b'].map((id) => lineOf(id, chat('x', unknown))))).id);
  expect([status, errors!.data]).toEqual([
    'failed',
    [{ code: 'model_not_found', line: 1, param: 'body.model', message: "The model 'batch/none' does not exist." }],
  ]);
  expect(upstream.seen.length).toBe(before);
  const instead = await ended((await begin([lineOf('a', chat('x', { ...unknown, models: [model] }))])).id);
  expect(instead).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  for (const name of [`${model}:floor`, 'svc/svc-ms']) {
    const found = await ended((await begin([lineOf('a', chat('x', { model: name }))])).id);
    expect([name, found.status]).toEqual([name, 'completed']);
  }
});

test('after cancellation, running requests finish and the others are reported as cancelled', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const before = upstream.seen.length;
  upstream.answer(async () => {
    await released;
    return said('late');
  });
  const batch = await begin(Array.from({ length: 20 }, (_, i) => lineOf(`r${i}`, chat(`${i}`))));
  await until('eight are under way', () => upstream.seen.length === before + 8);
  expect(await faultOf(openai.files.delete(batch.input_file_id))).toMatchObject({ status: 409 });
  expect((await openai.batches.cancel(batch.id)).status).toBe('cancelling');
  release();
  const done = await ended(batch.id);
  expect(done).toMatchObject({ status: 'cancelled', request_counts: { total: 20, completed: 8 } });
  expect(upstream.seen.length).toBe(before + 8);
  expect(await resultsOf(done.output_file_id)).toHaveLength(8);
  const errors = await resultsOf(done.error_file_id);
  expect(errors).toHaveLength(12);
  expect(errors.every(({ error, response }) => error?.code === 'batch_cancelled' && response === null)).toBeTrue();
  await until('usage is written', async () => (await usageOf(batch.id)).length === 8);
});

test('a request is retried while the upstream is busy; the rest fails when the balance runs out', async () => {
  const poor = await service.user();
  // The hold of a request is 5 a byte of its prompt and 10 a token of its answer; two answers leave too little for another.
  await credit(poor, 800);
  const client = new OpenAI({ apiKey: await poor.key(), baseURL: openai.baseURL, maxRetries: 0 });
  let busy = true;
  upstream.answer(() => {
    if (!busy) return said('fine');
    busy = false;
    return Response.json({ error: { message: 'slow down' } }, { status: 429 });
  });
  const batch = await begin(
    Array.from({ length: 12 }, (_, i) => lineOf(`p${i}`, chat('x'))),
    {},
    client,
  );
  const done = await ended(batch.id, client);
  const { total, completed, failed } = done.request_counts!;
  expect(done.status).toBe('completed');
  expect(total).toBe(12);
  expect(completed).toBeGreaterThan(0);
  expect(completed + failed).toBe(12);
  const errors = await resultsOf(done.error_file_id, client);
  expect(new Set(errors.map(({ response }) => response!.body.error.code))).toEqual(
    new Set(['insufficient_user_quota']),
  );
  await until('usage is written', async () => (await usageOf(batch.id)).length === completed);
});

test('Anthropic’s client: create, follow, results, lists, cancel, delete', async () => {
  const params = (content: string) => ({ model, max_tokens: 10, messages: [{ role: 'user' as const, content }] });
  const { batches } = anthropic.messages;
  const made = await batches.create({
    requests: [
      { custom_id: 'one', params: params('hi') },
      { custom_id: 'two', params: params('bad') },
    ],
  });
  expect(made).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
  expect(made.request_counts.processing).toBe(2);
  await until('it has ended', async () => (await batches.retrieve(made.id)).processing_status === 'ended');
  const counts = { processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 };
  expect((await batches.retrieve(made.id)).request_counts).toEqual(counts);
  const results: Record<string, Anthropic.Messages.MessageBatchResult> = {};
  for await (const { custom_id, result } of await batches.results(made.id)) results[custom_id] = result;
  expect(results.one).toMatchObject({ type: 'succeeded', message: { type: 'message', content: [{ text: 'fine' }] } });
  expect(results.two).toMatchObject({
    type: 'errored',
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  });

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const before = upstream.seen.length;
  upstream.answer(() => released.then(() => said('late')));
  const second = await batches.create({
    requests: Array.from({ length: 10 }, (_, i) => ({ custom_id: `c${i}`, params: params('x') })),
  });
  await until('eight are under way', () => upstream.seen.length === before + 8);
  expect(await faultOf(batches.delete(second.id))).toMatchObject({ status: 400, error: { type: 'error' } });
  expect((await batches.cancel(second.id)).processing_status).toBe('canceling');
  release();
  await until('it has ended', async () => (await batches.retrieve(second.id)).processing_status === 'ended');
  expect((await batches.retrieve(second.id)).request_counts).toMatchObject({ succeeded: 8, canceled: 2 });

  const idsOf = async (query: object) => (await batches.list(query)).data.map(({ id }) => id);
  expect(await idsOf({ limit: 1 })).toEqual([second.id]);
  expect(await idsOf({ after_id: second.id })).toEqual([made.id]);
  expect(await idsOf({ before_id: made.id })).toEqual([second.id]);
  expect(await batches.delete(made.id)).toEqual({ id: made.id, type: 'message_batch_deleted' });
  expect(await idsOf({ before_id: made.id })).toEqual([second.id]);
  expect(await idsOf({ after_id: made.id })).toEqual([]);
  expect(await faultOf(batches.list({ after_id: 'msgbatch_none' }))).toMatchObject({ status: 404 });
  expect(await faultOf(batches.retrieve(made.id))).toMatchObject({
    ...{ status: 404, error: { type: 'error', error: { type: 'not_found_error' } } },
  });
  for (const requests of [
    [],
    [{ custom_id: 'a b', params: params('x') }],
    [{ custom_id: 'a', params: { ...params('x'), stream: true } }],
    [
      { custom_id: 'a', params: params('x') },
      { custom_id: 'a', params: params('x') },
    ],
  ])
    expect(await faultOf(batches.create({ requests } as never))).toMatchObject({
      ...{ status: 400, error: { type: 'error', error: { type: 'invalid_request_error' } } },
    });
});

test('concurrent creation cannot exceed the limit of running batches, and a rejected batch leaves nothing behind', async () => {
  const member = await service.user();
  await credit(member, 10_000_000);
  const apiKey = await member.key();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  upstream.answer(() => released.then(() => said('late')));
  const from = { apiKey, maxRetries: 0 };
  const client = new OpenAI({ ...from, baseURL: openai.baseURL });
  const { batches } = new Anthropic({ ...from, baseURL: anthropic.baseURL }).messages;
  const file = await client.files.create({
    ...{ file: await toFile(Buffer.from(lineOf('a', chat('tea'))), 'in.jsonl'), purpose: 'batch' as const },
  });
  const params = { model, max_tokens: 10, messages: [{ role: 'user' as const, content: 'tea' }] };
  const ways = [
    () => client.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }),
    () => batches.create({ requests: [{ custom_id: 'a', params }] }),
  ];
  const asked = Array.from({ length: 3 * limits.running }, (_, i) => faultOf(ways[i % 2]!()));
  const faults = (await Promise.all(asked)).filter((fault) => fault !== null);
  expect(new Set(faults.map(({ status }) => status))).toEqual(new Set([429]));
  const { db } = service.platform.database;
  const kept = await db.selectFrom('batches').select('input_blob').where('user_id', '=', member.id).execute();
  expect(kept.length).toBeLessThanOrEqual(limits.running);
  const files = await db.selectFrom('files').select('blob').where('user_id', '=', member.id).execute();
  expect(files).toHaveLength(1);
  release();
  await member.call('/api/user/self', { method: 'DELETE', body: { password: 'a fine password' } });
});

test('returns 413 for a message that is too long for a batch', async () => {
  const params = { model, max_tokens: 10, messages: [{ role: 'user' as const, content: 'x'.repeat(9 * 1024 * 1024) }] };
  const fault = await faultOf(anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params }] }));
  expect(fault).toMatchObject({ status: 413, error: { error: { type: 'request_too_large' } } });
});

test('embeddings and responses are supported; deleting an account deletes its batches', async () => {
  const member = await service.user();
  const client = new OpenAI({ apiKey: await member.key(), baseURL: openai.baseURL, maxRetries: 0 });
  const ask = (endpoint: '/v1/embeddings' | '/v1/responses', body: object) =>
    begin([lineOf('a', body, endpoint)], { endpoint }, client);
  const one = await ended((await ask('/v1/embeddings', { model: 'demo/embed', input: 'tea' })).id, client);
  expect(one.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  const two = await ended((await ask('/v1/responses', { model: 'demo/chat', input: 'tea' })).id, client);
  expect(two.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  const told = (await (await member.call('/api/user/self/export')).json()) as { batches: Record<string, object[]> };
  expect(told.batches.files).toHaveLength(4);
  expect(told.batches.batches).toHaveLength(2);
  await member.call('/api/user/self', { method: 'DELETE', body: { password: 'a fine password' } });
  const { db } = service.platform.database;
  const left = async (table: 'files' | 'batches') =>
    (await db.selectFrom(table).select('id').where('user_id', '=', member.id).execute()).length;
  await until('all of it is gone', async () => (await left('files')) + (await left('batches')) === 0);
  expect(await service.platform.blobs.stat(`files/${one.output_file_id}`)).toBeNull();
});
