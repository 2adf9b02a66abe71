import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Server } from 'bun';
import OpenAI, { APIError } from 'openai';
import { until } from '../../../lib/until.fixture.ts';
import { JobStore } from '../../../platform/durable/job-store.ts';
import type { Jobs } from '../../../platform/durable/jobs.ts';
import { openQueue } from '../../../platform/durable/queue.ts';
import { unbounded } from '../../../platform/storage-quota/storage-quota.fixture.ts';
import { openRelayTest, type RelayTest } from '../../endpoints/relay.fixture.ts';
import { newId } from '../items.ts';
import type { Item, Owner } from '../keeper.ts';
import { limits } from '../limits.ts';
import { type KeptResponses, openResponses } from '../open.ts';
import { queuedOf, responseOf, said, sealer, user } from '../responses.fixture.ts';

let relay: RelayTest;
let server: Server<unknown>;
let openai: OpenAI;
/** The same user with another key, and another user. */
let otherKey: OpenAI;
let stranger: OpenAI;
let owner: Owner;
/** Whoever makes responses, in a process of its own: nothing but the database is shared. */
let maker: KeptResponses;
let jobs: Jobs;

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  const { test: app, member, key } = relay;
  server = Bun.serve({ port: 0, idleTimeout: 0, fetch: (request, self) => app.app.fetch(request, self) });
  const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${server.url}v1`, maxRetries: 0 });
  openai = client(key);
  otherKey = client(await member.key());
  stranger = client(await (await app.user()).key());
  const { database, owners, shared, clock, log } = app.platform;
  jobs = openQueue({ store: new JobStore(database.db, clock), owners, log });
  const [first] = await database.db
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', member.id)
    .orderBy('id')
    .execute();
  owner = { userId: member.id, keyId: first!.id };
  maker = openResponses({
    db: database.db,
    owners,
    shared,
    clock,
    jobs,
    log,
    sealer,
    storage: unbounded,
    recheckCaller: () => {},
    keptDays: () => 30,
  });
  maker.work(async (_, body, { tell, signal }) => {
    if (body.input === 'wait') await new Promise((_, reject) => signal.addEventListener('abort', reject));
    const message = said('msg_told', 'ok');
    const place = { output_index: 0, content_index: 0, item_id: 'msg_told' };
    tell({ type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } });
    tell({ type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } });
    for (const delta of ['o', 'k']) tell({ type: 'response.output_text.delta', ...place, delta });
    return responseOf('resp_any', [message]);
  });
  await jobs.start();
  await app.setOption('RateLimitEnabled', false);
});
afterAll(async () => {
  await jobs.stop(0);
  await server.stop(true);
  await relay.close();
});

const keep = async (input: Item[], output: Item[], more: Item = {}): Promise<string> => {
  const id = newId('resp');
  await maker.keeper.keep(owner, { response: responseOf(id, output, more), input, named: {} });
  return id;
};
const fault = async (asked: PromiseLike<unknown>): Promise<APIError> => {
  const error: APIError = (await Promise.resolve(asked).then(String, (thrown) => thrown)) as never;
  expect(error).toBeInstanceOf(APIError);
  return error;
};

describe('responses', () => {
  test('are returned as they ended, and can be deleted', async () => {
    const id = await keep([user('hi')], [said('msg_a', 'ho')], { metadata: { a: 'b' }, usage: { total_tokens: 3 } });
    const read = await openai.responses.retrieve(id);
    expect(read).toMatchObject({
      id,
      object: 'response',
      status: 'completed',
      metadata: { a: 'b' },
      output_text: 'ho',
    });
    expect((await relay.get(`/v1/responses/${id}`)).headers.get('cache-control')).toBe('no-store');
    const gone = await relay.get(`/v1/responses/${id}`, { method: 'DELETE' });
    expect(await gone.json()).toEqual({ id, object: 'response', deleted: true });
    expect((await fault(openai.responses.retrieve(id))).status).toBe(404);
    expect((await fault(openai.responses.delete(id))).status).toBe(404);
  });

  test('of other users give the same 404 as missing ones on every route', async () => {
    const id = await keep([user('hi')], [said('msg_b', 'ho')]);
    const missing = `${id}x`;
    const asks: [code: string, ask: (client: OpenAI, name: string) => PromiseLike<unknown>][] = [
      ['response_not_found', (client, name) => client.responses.retrieve(name)],
      ['response_not_found', (client, name) => client.responses.delete(name)],
      ['response_not_found', (client, name) => client.responses.cancel(name)],
      ['response_not_found', (client, name) => client.responses.inputItems.list(name)],
      ...(['compact', 'input_tokens'] as const).map((act): (typeof asks)[number] => [
        'previous_response_not_found',
        (client, name) =>
          client.post(`/responses/${act}`, { body: { model: 'demo/chat', previous_response_id: name } }),
      ]),
    ];
    for (const [code, ask] of asks) {
      const { status, error } = await fault(ask(openai, missing));
      expect([status, (error as { code: string }).code]).toEqual([code === 'response_not_found' ? 404 : 400, code]);
      const words = JSON.stringify(error).replace(missing, '…');
      for (const client of [otherKey, stranger])
        expect(JSON.stringify((await fault(ask(client, id))).error).replace(id, '…')).toBe(words);
    }
    expect((await openai.responses.retrieve(id)).id).toBe(id);
  });

  test('input items are paginated in both directions and have their own ids', async () => {
    const given = Array.from({ length: 45 }, (_, i) => user(`${i}`));
    given[3] = { ...given[3], id: 'msg_mine' };
    // Sent twice under one id, as clients do that repeat what they were given.
    given[30] = { ...given[30], id: 'msg_mine' };
    const id = await keep(given, [said('msg_c', 'ho')]);
    const texts = async (order?: 'asc' | 'desc', limit?: number) => {
      const found: string[] = [];
      for await (const item of openai.responses.inputItems.list(id, {
        ...(order && { order }),
        ...(limit && { limit }),
      }))
        found.push((item as unknown as { content: { text: string }[] }).content[0]!.text);
      return found;
    };
    const all = given.map((_, i) => `${i}`);
    expect(await texts('asc')).toEqual(all);
    expect(await texts('asc', 7)).toEqual(all);
    expect(await texts(undefined, 10)).toEqual(all.toReversed());
    const page = await openai.responses.inputItems.list(id, { order: 'asc', limit: 4 });
    expect(page.data.map((item) => (item as { id: string }).id)[3]).toBe('msg_mine');
    const raw = await (await relay.get(`/v1/responses/${id}/input_items?limit=2`)).json();
    expect(raw).toMatchObject({ object: 'list', has_more: true, first_id: raw.data[0].id, last_id: raw.data[1].id });
    expect((await fault(openai.responses.inputItems.list(id, { after: 'msg_none' }))).status).toBe(404);
    for (const query of ['limit=0', 'limit=101', 'order=up', 'unknown=1', 'include[]=nothing', 'limit=1&limit=2'])
      expect([query, (await relay.get(`/v1/responses/${id}/input_items?${query}`)).status]).toEqual([query, 400]);
    const azure = await relay.get(`/openai/responses/${id}/input_items?api-version=2025-04-01-preview`);
    expect(azure.status).toBe(200);
  });

  test('encrypted reasoning is returned only on request', async () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
    const id = await keep([user('hi'), { ...thought, id: 'rs_0' }], [thought, said('msg_d', 'ho')]);
    const [hidden] = (await openai.responses.retrieve(id)).output;
    expect(hidden).toEqual({ type: 'reasoning', id: 'rs_1', summary: [] });
    const include = ['reasoning.encrypted_content', 'message.output_text.logprobs'] as const;
    expect((await openai.responses.retrieve(id, { include: [...include] })).output[0]).toMatchObject(thought);
    const listed = await openai.responses.inputItems.list(id, { include: [...include] });
    expect(listed.data[0]).toMatchObject({ encrypted_content: 'sealed' });
    // For whoever builds on it, it is always there.
    expect(await maker.keeper.item(owner, 'rs_1')).toEqual(thought);
  });

  test('only background responses can be cancelled or streamed again', async () => {
    const id = await keep([user('hi')], [said('msg_e', 'ho')]);
    expect((await fault(openai.responses.cancel(id))).status).toBe(400);
    expect((await relay.get(`/v1/responses/${id}?stream=true`)).status).toBe(400);
  });
});

describe('background responses', () => {
  const queue = async (text: string): Promise<string> => {
    const id = newId('resp');
    await maker.keeper.enqueue(owner, queuedOf(id, text));
    return id;
  };

  test('OpenAI’s client streams one and gets the complete response', async () => {
    const id = await queue('hi');
    const stream = openai.responses.stream({ response_id: id });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const final = await stream.finalResponse();
    expect([text, final.status, final.output_text]).toEqual(['ok', 'completed', 'ok']);
    expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'completed', background: true });
    const rest: string[] = [];
    for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: 5 }))
      rest.push(event.type);
    expect(rest).toEqual(['response.output_text.delta', 'response.completed']);
  });

  test('cancelling ends the streams that follow it', async () => {
    const id = await queue('wait');
    expect(['queued', 'in_progress']).toContain((await openai.responses.retrieve(id)).status!);
    const stream = await openai.responses.retrieve(id, { stream: true });
    expect((await openai.responses.cancel(id)).status).toBe('cancelled');
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.queued']);
    expect((await openai.responses.cancel(id)).status).toBe('cancelled');
    const done = await queue('hi');
    await until('it is done', async () => (await openai.responses.retrieve(done)).status === 'completed');
    expect((await fault(openai.responses.cancel(done))).status).toBe(409);
    await openai.responses.delete(id);
    expect((await fault(openai.responses.retrieve(id))).status).toBe(404);
  });
});

describe('conversations', () => {
  test('OpenAI’s client creates, updates and deletes them', async () => {
    const made = await openai.conversations.create({
      metadata: { topic: 'tea' },
      items: [{ type: 'message', role: 'user', content: 'hello' }],
    });
    expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'tea' } });
    const { id } = made;
    expect(await openai.conversations.retrieve(id)).toEqual(made);
    const changed = await openai.conversations.update(id, { metadata: { topic: 'coffee' } });
    expect(changed.metadata).toEqual({ topic: 'coffee' });

    const added = await openai.conversations.items.create(id, {
      items: [
        { role: 'user', content: 'a' },
        { type: 'function_call_output', call_id: 'c', output: 'b' },
      ],
    });
    expect(added).toMatchObject({ object: 'list', has_more: false });
    const [first, second] = added.data as { id: string; type: string }[];
    expect([first!.type, second!.type]).toEqual(['message', 'function_call_output']);
    const listed: unknown[] = [];
    for await (const item of openai.conversations.items.list(id, { order: 'asc', limit: 2 })) listed.push(item);
    expect(listed).toHaveLength(3);
    expect(listed[1]).toMatchObject({ id: first!.id, role: 'user', content: [{ type: 'input_text', text: 'a' }] });
    const one = await openai.conversations.items.retrieve(second!.id, { conversation_id: id });
    expect(one).toMatchObject({ type: 'function_call_output', output: 'b' });

    expect((await openai.conversations.items.delete(first!.id, { conversation_id: id })).id).toBe(id);
    // A list goes on behind one that is gone.
    const behind = async (order: 'asc' | 'desc') =>
      (await openai.conversations.items.list(id, { after: first!.id!, order })).data.map((item) => item.id);
    expect([await behind('asc'), await behind('desc')]).toEqual([[second!.id], [(listed[0] as { id: string }).id]]);
    for await (const { id: item } of openai.conversations.items.list(id, { limit: 1 }))
      await openai.conversations.items.delete(item!, { conversation_id: id });
    expect((await openai.conversations.items.list(id)).data).toEqual([]);
    expect((await fault(openai.conversations.items.list(id, { after: 'msg_none' }))).status).toBe(404);
    expect((await fault(openai.conversations.items.retrieve(first!.id, { conversation_id: id }))).status).toBe(404);
    expect(await openai.conversations.delete(id)).toEqual({ id, object: 'conversation.deleted', deleted: true });
    expect((await fault(openai.conversations.retrieve(id))).status).toBe(404);
    expect((await openai.conversations.create()).metadata).toEqual({});
  });

  test('deleting a response or its conversation leaves the shared items in the other', async () => {
    const { id } = await openai.conversations.create();
    const response = responseOf(newId('resp'), [said('msg_shared', 'ho')]);
    await maker.keeper.keep(owner, { response, input: [user('hi')], named: { conversationId: id } });
    const size = async () => (await openai.conversations.items.list(id)).data.length;
    expect(await size()).toBe(2);
    await openai.conversations.items.delete('msg_shared', { conversation_id: id });
    expect(await size()).toBe(1);
    expect((await openai.responses.retrieve(response.id)).output_text).toBe('ho');
    await openai.responses.delete(response.id);
    expect(await size()).toBe(1);
    const next = responseOf(newId('resp'), [said('msg_next', 'so')]);
    await maker.keeper.keep(owner, { response: next, input: [user('and')], named: { conversationId: id } });
    await openai.conversations.delete(id);
    expect((await openai.responses.retrieve(next.id)).output_text).toBe('so');
  });

  test('an Idempotency-Key creates one conversation', async () => {
    const body = { items: [{ role: 'user', content: 'once' }] };
    const headers = { 'idempotency-key': 'a conversation' };
    const ids: string[] = [];
    for (let i = 0; i < 2; i += 1)
      ids.push(((await (await relay.post('/v1/conversations', body, { headers })).json()) as { id: string }).id);
    expect(ids[1]).toBe(ids[0]);
    const add = () =>
      relay.post(`/v1/conversations/${ids[0]}/items`, body, { headers: { 'idempotency-key': 'items' } });
    expect([(await add()).status, (await add()).status]).toEqual([200, 200]);
    expect((await openai.conversations.items.list(ids[0]!)).data).toHaveLength(2);
  });

  test('of other users return 404', async () => {
    const { id } = await openai.conversations.create({ items: [{ role: 'user', content: 'mine' }] });
    const item = (await openai.conversations.items.list(id)).data[0] as { id: string };
    for (const client of [otherKey, stranger]) {
      const { conversations } = client;
      for (const asked of [
        () => conversations.retrieve(id),
        () => conversations.update(id, { metadata: {} }),
        () => conversations.delete(id),
        () => conversations.items.list(id),
        () => conversations.items.create(id, { items: [{ role: 'user', content: 'x' }] }),
        () => conversations.items.retrieve(item.id, { conversation_id: id }),
        () => conversations.items.delete(item.id, { conversation_id: id }),
      ]) {
        const refused = await fault(asked());
        expect([refused.status, refused.message]).toEqual([404, `404 Conversation with id '${id}' not found.`]);
      }
    }
  });

  test('are limited, and unsupported items are named', async () => {
    const { id } = await openai.conversations.create();
    const post = async (items: unknown) => {
      const answer = await relay.post(`/v1/conversations/${id}/items`, { items });
      return { status: answer.status, ...((await answer.json()) as { error?: { param: string; message: string } }) };
    };
    const many = Array.from({ length: limits.addedItems + 1 }, () => ({ role: 'user', content: 'x' }));
    expect(await post(many)).toMatchObject({ status: 400 });
    const unknown = await post([{ type: 'riddle' }]);
    expect(unknown).toMatchObject({ status: 400, error: { param: 'items[0].type' } });
    expect(unknown.error!.message).toContain('riddle');
    expect(await post([{ role: 'wizard', content: 'x' }])).toMatchObject({
      status: 400,
      error: { param: 'items[0].role' },
    });
    expect(await post([{ role: 'user', content: 7 }])).toMatchObject({
      status: 400,
      error: { param: 'items[0].content' },
    });
    expect(await post([{ type: 'item_reference', id: 'msg_none' }])).toMatchObject({ status: 404 });
    expect(await post([{ role: 'user', content: 'x'.repeat(limits.addedBytes) }])).toMatchObject({ status: 413 });
    // What a few letters name is as large as it is, each time.
    const large = await relay.post(`/v1/conversations/${id}/items`, {
      items: [{ role: 'user', content: 'x'.repeat(limits.addedBytes / 2) }],
    });
    const [named] = ((await large.json()) as { data: { id: string }[] }).data;
    const often = Array.from({ length: limits.addedItems }, () => ({ type: 'item_reference', id: named!.id }));
    expect(await post(often)).toMatchObject({ status: 413, error: { param: 'items' } });
    expect((await relay.post('/v1/conversations', { items: often })).status).toBe(413);
    for (const store of [true, false]) {
      const asked = await relay.post('/v1/responses', { model: 'demo/chat', store, input: often });
      expect(await asked.json()).toMatchObject({ error: { code: 'request_too_large', param: 'input' } });
    }
    const { db } = relay.test.platform.database;
    await db.updateTable('kept_conversations').set({ items: limits.historyItems }).where('id', '=', id).execute();
    expect(await post([{ role: 'user', content: 'x' }])).toMatchObject({ status: 400, error: { param: 'items' } });
    const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`${i}`, 'x']));
    expect((await relay.post('/v1/conversations', { metadata })).status).toBe(400);
    expect((await relay.post('/v1/conversations', { nothing: 1 })).status).toBe(400);
  });
});

describe('input of a response', () => {
  test('is counted together with the previous responses', async () => {
    const count = async (body: object) => (await openai.responses.inputTokens.count(body)).input_tokens;
    const short = await count({ model: 'demo/chat', input: 'hello' });
    expect(short).toBeGreaterThan(0);
    const id = await keep([user('a long story '.repeat(50))], [said('msg_f', 'ho')]);
    expect(await count({ model: 'demo/chat', input: 'hello', previous_response_id: id })).toBeGreaterThan(short + 100);
    expect(await count({ input: 'hello', instructions: 'be brief' })).toBeGreaterThan(short);
    const refused = await fault(openai.responses.inputTokens.count({ model: 'nobody/knows', input: 'x' }));
    expect(refused).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('for `svc/svc-ms` is counted as sent, in every format, and not compacted', async () => {
    const model = 'svc/svc-ms';
    const counts = async (name: string) => {
      const { input_tokens } = await openai.responses.inputTokens.count({ model: name, input: 'hello' });
      const messages = [{ role: 'user', content: 'hello' }];
      const counted = await relay.post('/v1/messages/count_tokens', { model: name, messages });
      const contents = [{ parts: [{ text: 'hello' }] }];
      const total = await relay.post(`/v1beta/models/${name}:countTokens`, { contents });
      return [input_tokens, await counted.json(), await total.json()];
    };
    const plain = await counts('demo/chat');
    expect(plain[1]).toEqual({ input_tokens: plain[0] });
    expect(await counts(model)).toEqual(plain);
    const refused = await fault(openai.responses.compact({ model, input: 'hello' }));
    expect(refused).toMatchObject({ status: 400, param: 'model', code: 'invalid_value' });
    expect(refused.message).toContain(model);
  });

  test('includes referenced files and items', async () => {
    const story = 'a story of tea '.repeat(500);
    const file = await openai.files.create({ file: new File([story], 'story.txt'), purpose: 'user_data' });
    const content = [{ type: 'input_file' as const, file_id: file.id }];
    const input = [{ role: 'user' as const, content }];
    const { input_tokens } = await openai.responses.inputTokens.count({ model: 'demo/chat', input });
    expect(input_tokens).toBeGreaterThan(2_000);
    const { usage, output } = await openai.responses.compact({ model: 'demo/chat', input });
    expect(usage.input_tokens).toBeGreaterThan(2_000);
    // What is left of it is small still.
    expect(output[0]).toMatchObject({ type: 'message', content });
    const id = await keep([user(story)], []);
    const [kept] = (await openai.responses.inputItems.list(id)).data;
    const referring = [{ type: 'item_reference' as const, id: kept!.id! }];
    expect((await openai.responses.inputTokens.count({ model: 'demo/chat', input: referring })).input_tokens).toBe(
      (await openai.responses.inputTokens.count({ model: 'demo/chat', input: story })).input_tokens,
    );
  });

  test('is compacted into the last messages and an encrypted item that can be used as input', async () => {
    const id = await keep([user('I grow tea in Utrecht.')], [said('msg_g', 'Lovely.')]);
    const answer = await relay.post('/v1/responses/compact', {
      model: 'demo/chat',
      previous_response_id: id,
      input: [{ role: 'user', content: 'And what now?' }],
    });
    expect(answer.status).toBe(200);
    const compacted = (await answer.clone().json()) as {
      object: string;
      output: Item[];
      usage: { total_tokens: number };
    };
    expect(compacted.object).toBe('response.compaction');
    expect(compacted.output.map((item) => item.type)).toEqual(['message', 'message', 'compaction']);
    expect(compacted.usage.total_tokens).toBeGreaterThan(0);
    const sealed = compacted.output.at(-1)!;
    expect(sealed.encrypted_content).not.toContain('Utrecht');
    // Billed as the call it makes.
    expect(await relay.usageOf(answer)).toMatchObject({ endpoint: '/v1/responses/compact', model: 'demo/chat' });

    const input = compacted.output as never;
    const { input_tokens } = await openai.responses.inputTokens.count({ model: 'demo/chat', input });
    const { input_tokens: without } = await openai.responses.inputTokens.count({
      model: 'demo/chat',
      input: compacted.output.slice(0, 2) as never,
    });
    expect(input_tokens).toBeGreaterThan(without);
    // Only for the user it was made for, and only as it was made.
    const asked = [
      stranger.responses.inputTokens.count({ model: 'demo/chat', input }),
      openai.responses.inputTokens.count({
        model: 'demo/chat',
        input: [{ ...sealed, encrypted_content: `${sealed.encrypted_content}`.slice(0, -4) }] as never,
      }),
      openai.responses.inputTokens.count({
        model: 'demo/chat',
        input: [{ type: 'compaction', encrypted_content: 7 }] as never,
      }),
    ];
    for (const one of asked) expect(await fault(one)).toMatchObject({ status: 400, param: 'encrypted_content' });
    expect((await fault(openai.responses.compact({ model: 'demo/chat' }))).status).toBe(400);
    expect((await fault(openai.responses.compact({ model: null, input: 'x' }))).status).toBe(400);
  });
});
