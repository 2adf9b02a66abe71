import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Call } from '../../platform/http/route.ts';
import { openLog } from '../../platform/log.ts';
import type { RelayDeps } from '../deps.ts';
import type { Before, Item, Owner, ResponseKeeper, ResponseObject } from '../responses/keeper.ts';
import type { Answer, Conversation, Json } from '../wire/conversation.ts';
import { unsealed } from '../wire/responses/thoughts.ts';
import { respond } from './responses.ts';
import { backgroundAnswers } from './responses-background.ts';
import { StoreBeforeEnd } from './store-before-end.ts';

interface Kept {
  owner: Owner;
  response: ResponseObject;
  input: Item[];
  named: Before;
}

/** In memory; `fails` lets keeping fail. */
function memoryKeeper() {
  const kept: Kept[] = [];
  const queued: (Kept & { body: Item })[] = [];
  const state = { fails: false };
  const keeper: ResponseKeeper = {
    before: async (_, { previousResponseId }) => {
      const found = kept.find(({ response }) => response.id === previousResponseId);
      return found ? [...found.input, ...found.response.output] : [];
    },
    item: async (_, id) =>
      kept.flatMap(({ input, response }) => [...input, ...response.output]).find((item) => item.id === id) ?? null,
    keep: async (owner, ended) => {
      await Bun.sleep(1);
      if (state.fails) throw new Error('no room');
      kept.push({ owner, ...ended });
      return null;
    },
    enqueue: async (owner, job) => void queued.push({ owner, ...job }),
    recheckCaller: () => {},
    follow: async ({ id }, _, write) => void write(`event: response.queued\ndata: {"id":"${id}"}\n\n`),
    seals: () => unsealed,
    keeps: () => true,
    hasRoom: async () => true,
    admit: () => {},
    expand: (_, items) => items,
  };
  return { keeper, kept, queued, state };
}

const deps = { clock: systemClock, log: openLog('silent') } as unknown as RelayDeps;
const newCall = () =>
  ({
    headers: {},
    requestId: 'req_1',
    signal: new AbortController().signal,
    principal: { user: { id: 7, group: 'default' }, keyId: 3 },
  }) as unknown as Call<'apiKey'>;

/** Says what it was told last, and remembers all of it. */
function stage() {
  const memory = memoryKeeper();
  const asked: Conversation[] = [];
  const echoing = async (
    _: unknown,
    conversation: Conversation,
    __: unknown,
    onDelta?: (delta: never) => unknown,
  ): Promise<Answer> => {
    asked.push(conversation);
    const text = `answer ${asked.length}`;
    const deltas = [{ type: 'text', text }, { type: 'finish', finish: 'stop' }, { type: 'end' }];
    for (const delta of onDelta ? deltas : []) onDelta!(delta as never);
    return { id: 'x', model: 'own', parts: [{ type: 'text', text }], finish: 'stop' };
  };
  const ask = (body: Json) => respond(deps, { own: echoing }, memory.keeper, newCall(), { model: 'own', ...body });
  const askJson = async (body: Json) => (await (await ask(body)).json()) as ResponseObject;
  return { ...memory, asked, ask, askJson };
}

const said = ({ turns }: Conversation) =>
  turns.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join());

describe('responses with storage', () => {
  test('a response continues the previous one and is stored with only its own input', async () => {
    const { askJson, asked, kept } = stage();
    const first = await askJson({ input: 'one' });
    const second = await askJson({ input: [{ role: 'user', content: 'two' }], previous_response_id: first.id });
    expect(said(asked[1]!)).toEqual(['one', 'answer 1', 'two']);
    expect(second).toMatchObject({ previous_response_id: first.id, store: true });
    expect(kept[1]).toMatchObject({
      owner: { userId: 7, keyId: 3 },
      response: second,
      input: [{ role: 'user', content: 'two' }],
      named: { previousResponseId: first.id },
    });
  });

  test('items are found by reference, and unknown ones are rejected', async () => {
    const { askJson, ask, asked } = stage();
    const { output } = await askJson({ input: 'one' });
    await askJson({
      input: [
        { type: 'item_reference', id: output[0]!.id },
        { role: 'user', content: 'go on' },
      ],
    });
    expect(said(asked[1]!)).toEqual(['answer 1', 'go on']);
    const lost = ask({ input: [{ type: 'item_reference', id: 'msg_lost' }] });
    expect(await lost.catch((error: unknown) => error)).toMatchObject({ code: 'not_found', status: 404 });
  });

  test('`store: false` stores nothing', async () => {
    const { askJson, kept } = stage();
    expect((await askJson({ input: 'one', store: false })).store).toBe(false);
    expect(kept).toEqual([]);
  });

  test('a streamed response is stored before its last event is sent', async () => {
    const { ask, kept } = stage();
    const text = await (await ask({ input: 'one', stream: true })).text();
    expect(text).toContain('event: response.completed');
    expect(kept[0]!.response).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'answer 1' }] }] });
  });

  test('if storing fails, the paid answer is returned with store: false', async () => {
    const { ask, askJson, state } = stage();
    state.fails = true;
    expect(await askJson({ input: 'one' })).toMatchObject({
      ...{ status: 'completed', store: false, output: [{ content: [{ text: 'answer 1' }] }] },
    });
    const text = await (await ask({ input: 'one', stream: true })).text();
    const events = text.trim().split('\n\n');
    const last = JSON.parse(events.at(-1)!.split('\ndata: ')[1]!) as Json;
    expect(last).toMatchObject({
      ...{ type: 'response.completed', sequence_number: events.length - 1 },
      response: { status: 'completed', store: false, output: [{ content: [{ text: 'answer 2' }] }] },
    });
    expect(text).not.toContain('event: error');
  });

  test('a background response is queued without calling the model', async () => {
    const { askJson, ask, asked, queued } = stage();
    const response = await askJson({ input: 'one', background: true });
    expect(response).toMatchObject({ status: 'queued', background: true, output: [] });
    expect(queued[0]).toMatchObject({ response: { id: response.id }, body: { input: 'one', background: true } });
    expect(asked).toEqual([]);
    const text = await (await ask({ input: 'one', background: true, stream: true })).text();
    expect(text).toContain(`{"id":"${queued[1]!.response.id}"}`);
    const unkept = ask({ input: 'one', background: true, store: false });
    expect(await unkept.catch((error: unknown) => error)).toMatchObject({ status: 400 });
    expect(asked).toEqual([]);
  });

  test('previous_response_id and conversation cannot be combined', async () => {
    const { ask } = stage();
    const both = ask({ input: 'x', previous_response_id: 'resp_1', conversation: { id: 'conv_1' } });
    expect(await both.catch((error: unknown) => error)).toMatchObject({ status: 400 });
  });
});

test('a background response runs with its owner’s current rights, or not at all', async () => {
  const { keeper } = memoryKeeper();
  const callers: unknown[] = [];
  const own = async (call: unknown, _: unknown, __: unknown, onDelta?: (delta: never) => unknown): Promise<Answer> => {
    callers.push(call);
    for (const delta of [{ type: 'text', text: 'hi' }, { type: 'end' }]) onDelta!(delta as never);
    return { id: 'x', model: 'own', parts: [], finish: 'stop' };
  };
  let allowed = true;
  const of = () => {
    if (!allowed) throw new AppError('invalid_api_key', 'gone');
    return { group: 'gold', models: ['own'], unlimited: false, application: null };
  };
  const told: unknown[] = [];
  const answer = backgroundAnswers(deps, { own }, keeper, { of });
  const work = () =>
    answer(
      { userId: 7, keyId: 3 },
      { model: 'own', input: 'one', background: true },
      {
        ...{ id: 'resp_1', epoch: 1, requestId: 'resp_1-1', signal: new AbortController().signal },
        tell: ({ type }) => void told.push(type),
      },
    );
  expect(await work()).toMatchObject({ id: 'resp_1', status: 'completed', output: [{ content: [{ text: 'hi' }] }] });
  expect(told).toContain('response.output_text.delta');
  const principal = { user: { id: 7, group: 'gold' }, keyId: 3, models: ['own'], unlimited: false };
  const behind = { parentRequestId: 'resp_1', calls: { work: 'resp_1', attempt: '', again: false } };
  expect(callers).toEqual([{ requestId: 'resp_1', principal, behind }]);
  allowed = false;
  expect(await work().catch((error: unknown) => error)).toMatchObject({ code: 'invalid_api_key' });
  expect(callers).toHaveLength(1);
});

test('keep-alive bytes of a stream are forwarded, its end waits until it is stored', async () => {
  const order: string[] = [];
  const keep = async () => {
    await Bun.sleep(1);
    order.push('kept');
    return null;
  };
  const first = new StoreBeforeEnd(keep, openLog('silent'), 'req_1');
  const write = first.through((bytes) => void order.push(new TextDecoder().decode(bytes)));
  write('event');
  first.onEnded({});
  write(': ping\n\n');
  await write('the end');
  expect(order).toEqual(['event', ': ping\n\n', 'kept', 'the end']);
});
