import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { costOf } from '../../lib/money.ts';
import { until } from '../../lib/until.fixture.ts';
import type { UsageEntry } from '../endpoints/relay.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import { created, done, openRealtimeTest, type RealtimeTest, sound, words } from './realtime.fixture.ts';

const price = {
  ...{ promptPrice: 4, completionPrice: 16, requestPrice: 0 },
  parts: { cacheRead: 0.4, audioIn: 32, audioOut: 64 },
};
const usage = {
  ...{ total_tokens: 1_300, input_tokens: 1_000, output_tokens: 300 },
  input_token_details: {
    ...{ text_tokens: 400, audio_tokens: 600, cached_tokens: 500 },
    cached_tokens_details: { text_tokens: 300, audio_tokens: 200 },
  },
  output_token_details: { text_tokens: 100, audio_tokens: 200 },
};
const cost = costOf(price, {
  ...{ promptTokens: 1_000, completionTokens: 300, cacheReadTokens: 500, audioInTokens: 400, audioOutTokens: 200 },
});

let t: RealtimeTest;
let rows = 0;
let quota = 0;

beforeAll(async () => {
  t = await openRealtimeTest();
});
afterAll(() => t.close());
afterEach(() => t.settle());

/** What is written and paid from here on. */
async function fromHere(): Promise<void> {
  rows = (await t.relay.usage()).length;
  quota = (await t.relay.money()).quota;
}
const paid = (amount: number) =>
  until(`${amount} is paid and written, and nothing held`, async () => {
    const written = (await t.rowsSince(rows)).reduce((sum, row) => sum + row.quota, 0);
    return written === amount && (await t.relay.money()).quota === quota - amount;
  });

/** Answers each `response.create`. */
function answerWith(...events: ((id: string) => string)[]): void {
  let count = 0;
  t.vendor.onEvent = (socket, { type }) => {
    if (type !== 'response.create') return;
    count += 1;
    for (const event of events) socket.send(event(`resp_${count}`));
  };
}

test('events are forwarded unchanged, and each response is logged with the price of its parts', async () => {
  await fromHere();
  answerWith(
    created,
    (id) => words(id, 'tea'),
    (id) => done(id, usage),
  );
  const talk = t.talk();
  await talk.told('session.created');
  expect(talk.texts[0]).toBe(t.vendor.greeting!);
  expect((await t.relay.money()).quota).toBeLessThan(quota);
  const odd = '{ "type":"response.create",  "event_id" : "é" }';
  talk.say(odd);
  await talk.told('response.done');
  talk.say({ type: 'response.create' });
  await talk.told('response.done', 2);
  expect(t.vendor.heard).toEqual([JSON.parse(odd), { type: 'response.create' }]);
  expect(talk.texts.slice(1, 4)).toEqual([created('resp_1'), words('resp_1', 'tea'), done('resp_1', usage)]);
  const written = await t.rowsSince(rows);
  expect(written).toHaveLength(2);
  for (const row of written)
    expect(row).toMatchObject({
      ...{ model: 'acme/voice', endpoint: '/v1/realtime', quota: cost, prompt_tokens: 1_000, completion_tokens: 300 },
      ...{ status: 'ok', estimated: false, cache_read_tokens: 500, audio_in_tokens: 400, audio_out_tokens: 200 },
    } as Partial<UsageEntry>);
  talk.socket.close();
  await paid(2 * cost);
  expect(t.vendor.asked[0]!.path).toBe('/v1/realtime?model=rt-1');
  expect(t.vendor.asked[0]!.headers.get('authorization')).toBe('Bearer up-secret-credential');
});

test('automatic and concurrent responses are held for and charged', async () => {
  await fromHere();
  const talk = t.talk();
  await talk.told('session.created');
  const held = async () => quota - (await t.relay.money()).quota;
  const one = await held();
  expect(one).toBeGreaterThan(0);
  const [socket] = t.vendor.sockets;
  for (const id of ['a', 'b']) socket!.send(created(id));
  await talk.told('response.created', 2);
  expect(await held()).toBeGreaterThanOrEqual(2 * one);
  socket!.send(done('b', usage));
  socket!.send(done('a', usage, 'cancelled'));
  await talk.told('response.done', 2);
  const written = await t.rowsSince(rows);
  expect(written.map(({ quota: charged, status }) => [charged, status])).toEqual([
    [cost, 'ok'],
    [cost, 'aborted'],
  ]);
  talk.socket.close();
  await paid(2 * cost);
});

test('a client that disconnects pays for what was generated, and nothing if nothing was', async () => {
  await fromHere();
  const { db } = t.relay.test.platform.database;
  const talk = t.talk();
  await talk.told('session.created');
  talk.say({ type: 'conversation.item.create', item: { content: 'x'.repeat(4_000) } });
  await until('it is heard', () => t.vendor.heard.length > 0);
  const [socket] = t.vendor.sockets;
  for (const event of [created('a'), sound('a', 2), words('a', 'four'), created('b')]) socket!.send(event);
  await talk.told('response.created', 2);
  // For the case that the process dies now.
  const noted = db.selectFrom('billing_holds').select('progress').where('progress', '>', 0);
  await until('its progress is written', async () => (await noted.executeTakeFirst()) !== undefined);
  talk.socket.close();
  await until('it is charged', async () => (await t.rowsSince(rows)).length > 0);
  const [row] = await t.rowsSince(rows);
  expect(row).toMatchObject({
    status: 'aborted',
    estimated: true,
    audio_out_tokens: 40,
    completion_tokens: 41,
  } as object);
  expect(row!.prompt_tokens).toBeGreaterThan(1_000);
  expect(row!.prompt_tokens).toBeLessThan(1_100);
  await paid(row!.quota);
});

test('implausible usage is replaced by a local count; no usage without output costs nothing', async () => {
  await fromHere();
  const told: (Json | null)[] = [
    null,
    { input_tokens: 10 ** 9, output_tokens: 5 },
    { input_tokens: 50, output_tokens: 10 ** 9 },
  ];
  const talk = t.talk();
  await talk.told('session.created');
  const [socket] = t.vendor.sockets;
  socket!.send(created('failed'));
  socket!.send(done('failed', null, 'failed'));
  for (const [i, lie] of told.entries())
    for (const event of [created(`${i}`), words(`${i}`, 'four'), done(`${i}`, lie)]) socket!.send(event);
  await talk.told('response.done', 4);
  const written = (await t.rowsSince(rows)) as (UsageEntry & { estimated: boolean })[];
  expect(written.map((row) => [row.estimated, row.completion_tokens])).toEqual([
    [true, 1],
    [true, 1],
    [true, 1],
  ]);
  expect(written[2]!.prompt_tokens).toBe(50);
});

test('a response is charged once even if reported repeatedly, and input without output is charged', async () => {
  await fromHere();
  const talk = t.talk();
  await talk.told('session.created');
  const [socket] = t.vendor.sockets;
  const read = { input_tokens: 2_000, output_tokens: 0 };
  const events = [
    ...[created('a'), words('a', 'tea'), done('a', usage), done('a', usage)],
    ...[created('a'), words('a', 'more'), done('a', usage, 'cancelled')],
    ...[created('b'), done('b', read, 'cancelled'), created('c'), done('c', read, 'failed')],
    ...[created('d'), done('d', { input_tokens: 10 ** 9, output_tokens: 0 }, 'cancelled')],
  ];
  for (const event of events) socket!.send(event);
  await talk.told('response.done', 6);
  const written = await t.rowsSince(rows);
  const prompt = costOf(price, { promptTokens: 2_000, completionTokens: 0 });
  expect(written.map((row) => [row.quota, row.status])).toEqual([
    [cost, 'ok'],
    [prompt, 'aborted'],
  ]);
  talk.socket.close();
  await paid(cost + prompt);
});

test('transcripts are charged separately at the price of their model', async () => {
  await fromHere();
  t.vendor.onEvent = (socket, event) => {
    if (event.type === 'session.update') socket.send(JSON.stringify({ ...event, type: 'session.updated' }));
  };
  const talk = t.talk();
  await talk.told('session.created');
  const completed = { type: 'conversation.item.input_audio_transcription.completed', transcript: 'tea' };
  const session = { type: 'realtime', audio: { input: { transcription: { model: 'acme/write', language: 'en' } } } };
  talk.say({ type: 'session.update', session });
  await talk.told('session.updated');
  const transcription = { model: 'write-1', language: 'en' };
  expect(t.vendor.heard[0]).toEqual({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { transcription } } },
  });
  const [socket] = t.vendor.sockets;
  socket!.send(JSON.stringify({ ...completed, usage: { type: 'duration', seconds: 30 } }));
  await talk.told(completed.type);
  const tokens = { type: 'tokens', input_tokens: 600, output_tokens: 5, input_token_details: { audio_tokens: 600 } };
  socket!.send(JSON.stringify({ ...completed, usage: tokens }));
  await talk.told(completed.type, 2);
  const written = await t.rowsSince(rows);
  // 0.6 USD a minute.
  expect(written.map((row) => [row.model, row.units, row.quota])).toEqual([
    ['acme/write', 0.5, 150_000],
    ['acme/write', 1, 300_000],
  ]);
});

const transcript = (what: string, more: Json): string =>
  JSON.stringify({ type: `conversation.item.input_audio_transcription.${what}`, ...more });

test('a transcript is charged once, even if the upstream reports it repeatedly', async () => {
  const half = { transcript: 'tea', usage: { type: 'duration', seconds: 30 } };
  const again: [what: string, more: Json][] = [
    ['completed', { item_id: 'a', content_index: 0, ...half }],
    ['completed', { item_id: 'a', ...half }],
    ['delta', { item_id: 'a', content_index: 0, delta: 'x'.repeat(900) }],
  ];
  for (const query of ['?model=acme/write', '?model=acme/voice']) {
    await t.settle();
    await fromHere();
    const talk = t.talk(query);
    await talk.told('session.created');
    const [socket] = t.vendor.sockets;
    socket!.send(JSON.stringify({ ...plain, type: 'session.updated' }));
    socket!.send(transcript('completed', { item_id: 'a', content_index: 0, ...half }));
    // Another part of the same item, and two that cannot be told apart.
    socket!.send(transcript('completed', { item_id: 'a', content_index: 1, ...half }));
    for (let count = 0; count < 2; count += 1) socket!.send(transcript('completed', half));
    for (const [what, more] of again) socket!.send(transcript(what, more));
    await talk.told('conversation.item.input_audio_transcription.completed', 6);
    const [first] = await t.rowsSince(rows);
    talk.socket.close();
    await paid(first!.quota * 4);
    expect(await t.rowsSince(rows)).toHaveLength(4);
  }
});

test('an interrupted transcript is charged as far as it got, a failed one is not', async () => {
  await fromHere();
  const talk = t.talk();
  await talk.told('session.created');
  talk.say({ type: 'session.update', session: { input_audio_transcription: { model: 'acme/write' } } });
  await until('it is heard', () => t.vendor.heard.length > 0);
  const [socket] = t.vendor.sockets;
  socket!.send(JSON.stringify({ type: 'session.updated', session: t.vendor.heard[0]!.session }));
  socket!.send(transcript('delta', { item_id: 'a', delta: 'x'.repeat(450) }));
  socket!.send(transcript('delta', { item_id: 'a', delta: 'x'.repeat(450) }));
  socket!.send(transcript('delta', { item_id: 'b', delta: 'x'.repeat(900) }));
  socket!.send(transcript('failed', { item_id: 'b', error: { message: 'no' } }));
  await talk.told('conversation.item.input_audio_transcription.failed');
  talk.socket.close();
  // A minute of speech.
  await paid(300_000);
  expect(await t.rowsSince(rows)).toMatchObject([
    { model: 'acme/write', units: 1, quota: 300_000, status: 'aborted', estimated: true },
  ]);
});

test('many interrupted transcripts are charged in full with few usage rows', async () => {
  await fromHere();
  const talk = t.talk('?model=acme/write');
  await talk.told('session.created');
  const [socket] = t.vendor.sockets;
  for (let item = 0; item < 600; item += 1)
    socket!.send(transcript('delta', { item_id: `${item}`, content_index: 0, delta: 'x'.repeat(9) }));
  await talk.told('conversation.item.input_audio_transcription.delta', 600);
  talk.socket.close();
  // Six minutes of speech.
  await paid(1_800_000);
  expect((await t.rowsSince(rows)).length).toBeLessThanOrEqual(64);
});

test('transcription sessions: each transcript is held for in advance and logged', async () => {
  const input = { transcription: { model: 'write-1', language: 'en' }, turn_detection: null };
  const format = { type: 'audio/pcmu' };
  const now = { type: 'session.update', session: { type: 'transcription', audio: { input } } };
  const by = async (path: string, body: Json) =>
    (await (await t.relay.post(`/v1/realtime/${path}`, body)).json()) as Json & { client_secret: { value: string } };
  const about = { transcription: { model: 'acme/write', language: 'en' }, turn_detection: null };
  const secret = await by('client_secrets', { session: { type: 'transcription', audio: { input: about } } });
  expect(secret).toMatchObject({ session: { type: 'transcription', audio: { input: about } } });
  const before = { input_audio_transcription: about.transcription, turn_detection: null };
  const session = await by('transcription_sessions', { ...before, input_audio_format: 'g711_ulaw' });
  expect(session).toMatchObject({ ...before, object: 'realtime.transcription_session' });
  const with_ = (value: unknown, ...more: string[]) => ({
    protocols: ['realtime', `openai-insecure-api-key.${value}`, ...more],
  });
  const ways: [query: string, init: Parameters<typeof t.talk>[1], told: Json][] = [
    ['?intent=transcription&model=acme/write', {}, plain],
    ['?model=acme/write', {}, plain],
    ['', with_(secret.value), now],
    [
      '?intent=transcription',
      with_(session.client_secret.value),
      { ...now, session: { ...now.session, audio: { input: { ...input, format } } } },
    ],
    [
      '?intent=transcription',
      with_(session.client_secret.value, 'openai-beta.realtime-v1'),
      {
        type: 'transcription_session.update',
        session: {
          input_audio_format: 'g711_ulaw',
          input_audio_transcription: input.transcription,
          turn_detection: null,
        },
      },
    ],
  ];
  for (const [query, init, told] of ways) {
    await t.settle();
    await fromHere();
    const talk = t.talk(query, init);
    await talk.told('session.created');
    await until('it is told how to begin', () => t.vendor.heard.length === 1);
    expect(t.vendor.heard[0]).toEqual(told);
    expect(t.vendor.asked[0]!.path).toBe('/v1/realtime?intent=transcription');
    expect((await t.relay.money()).quota).toBeLessThan(quota);
    const [socket] = t.vendor.sockets;
    for (const [item_id, seconds] of Object.entries({ a: 30, b: 6 }))
      socket!.send(transcript('completed', { item_id, transcript: 'tea', usage: { type: 'duration', seconds } }));
    await talk.told('conversation.item.input_audio_transcription.completed', 2);
    talk.say({ type: 'session.update', session: { type: 'realtime' } });
    expect(await talk.told('error')).toMatchObject({ error: { param: 'session.type' } });
    talk.socket.close();
    await paid(180_000);
    expect((await t.rowsSince(rows)).map((row) => [row.model, row.units, row.quota])).toEqual([
      ['acme/write', 0.5, 150_000],
      ['acme/write', 0.1, 30_000],
    ]);
  }
});

const plain = {
  type: 'session.update',
  session: { type: 'transcription', audio: { input: { transcription: { model: 'write-1' } } } },
};

/** Somebody without money, and how they come by some. */
async function somebodyPoor() {
  const poor = await t.relay.test.user();
  const root = await t.relay.test.root();
  const credit = (amount: number) =>
    root.call(`/api/admin/users/${poor.id}/credits`, { method: 'POST', body: { quota: amount } });
  return { user: poor, key: await poor.key(), credit };
}

const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'tea '.repeat(25_000) }] };
const said = { type: 'conversation.item.create', item };
const asked = { type: 'response.create' };
/** More than the one response that there is money for, and how much of it the vendor may hear. */
const beyondMeans: [what: string, events: (Json | string)[], heard: number][] = [
  ['a text that is too long', [said, asked], 0],
  ['a text in response.create', [{ ...asked, response: { conversation: 'none', input: [item] } }], 0],
  ['a text with the field name of audio', [{ 'input_audio_buffer.append': 1, ...said }, asked], 0],
  [
    'a text with the audio event name in its last field',
    [{ ...said, event_id: 'input_audio_buffer.append' }, asked],
    0,
  ],
  ['a text in parts', [...Array(4).fill({ ...said, item: { text: 'tea '.repeat(500) } }), asked], 1],
  ['minutes of audio', Array(4).fill({ type: 'input_audio_buffer.append', audio: 'A'.repeat(30 * 64_000) }), 2],
  ['many responses at once', Array(20).fill(asked), 1],
];

test.each(beyondMeans)('nothing is sent to a vendor without a hold: %s', async (_, events, heard) => {
  const { key, credit } = await somebodyPoor();
  await credit(160_000);
  const talk = t.talk(undefined, { key });
  await talk.told('session.created');
  for (const event of events) talk.say(event);
  expect(await talk.told('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
  expect(await talk.closed()).toMatchObject({ code: 1008 });
  expect(t.vendor.heard.length).toBeLessThanOrEqual(heard);
});

const minutesOfSound = (minutes: number) => ({
  type: 'input_audio_buffer.append',
  // Telephony has 8,000 bytes a second.
  audio: 'A'.repeat((minutes * 60 * 8_000 * 4) / 3),
});
const appended = () => t.vendor.heard.filter(({ type }) => type === 'input_audio_buffer.append');
/** A description with the format by both names. */
const former = (name: string, format: Json) => ({
  session: { type: 'transcription', input_audio_format: name, audio: { input: { format } } },
});
const commit = { type: 'input_audio_buffer.commit' };
const telephony = { format: { type: 'audio/pcmu' }, transcription: { model: 'acme/write' } };
/** More sound than there is money for. */
const beyondHearing: [what: string, type: string, events: Json[]][] = [
  ['at once', 'transcription', [...Array(8).fill(minutesOfSound(2)), commit]],
  [
    'in parts',
    'transcription',
    Array(8)
      .fill([minutesOfSound(2), commit])
      .flat(),
  ],
  [
    'beside a conversation',
    'realtime',
    Array(8)
      .fill([minutesOfSound(2), commit])
      .flat(),
  ],
];

test.each(beyondHearing)('no audio beyond the balance reaches a transcriber: %s', async (_, type, events) => {
  const { key, credit } = await somebodyPoor();
  // Six minutes.
  await credit(1_800_000);
  const talk = t.talk(type === 'realtime' ? '?model=acme/voice' : '?model=acme/write', { key });
  await talk.told('session.created');
  talk.say({ type: 'session.update', session: { type, audio: { input: telephony } } });
  for (const event of events) talk.say(event);
  expect(await talk.told('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
  expect(await talk.closed()).toMatchObject({ code: 1008 });
  expect(appended().length * 2).toBeLessThanOrEqual(6);
});

test('audio counts by the slowest format that either side has named, in any order', async () => {
  const slow = { type: 'session.update', session: { type: 'transcription', audio: { input: telephony } } };
  const fast = (type: string, format: Json) => ({
    type,
    session: { type: 'transcription', audio: { input: { format } } },
  });
  const pcm = { type: 'audio/pcm', rate: 24_000 };
  // Of parts of two minutes (one with fewer samples), `most` are within the five minutes that are held.
  const orders: [what: string, asked: Json[], told: Json[], most?: number][] = [
    ['the upstream has not done it yet', [slow], [fast('session.updated', pcm)]],
    ['the upstream confirms an earlier request', [fast('session.update', pcm), slow], [fast('session.updated', pcm)]],
    ['the upstream may refuse the later request', [slow, fast('session.update', pcm)], []],
    ['the upstream decides', [], [fast('session.updated', { type: 'audio/pcmu' })]],
    ['the former name beside the current one', [], [{ ...fast('session.updated', pcm), ...former('g711_ulaw', pcm) }]],
    ['a format of tomorrow', [fast('session.update', { type: 'audio/opus' })], []],
    ['fewer samples', [fast('session.update', { type: 'audio/pcm', rate: 8_000 })], [], 5],
    ['a rate that the upstream may ignore', [slow, fast('session.update', { type: 'audio/pcm', rate: 1e9 })], []],
  ];
  for (const [what, asked, told, most = 2] of orders) {
    const { key, credit } = await somebodyPoor();
    await credit(1_800_000);
    const talk = t.talk('?model=acme/write', { key });
    await talk.told('session.created');
    for (const event of asked) talk.say(event);
    await until('it is heard', () => t.vendor.heard.length === asked.length + 1);
    for (const event of told) t.vendor.sockets.at(-1)!.send(JSON.stringify(event));
    if (told.length > 0) await talk.told('session.updated');
    for (let part = 0; part < 8; part += 1) talk.say(minutesOfSound(2));
    expect((await talk.closed()).code, what).toBe(1008);
    expect(appended().length, what).toBeLessThanOrEqual(most);
    await t.settle();
  }
});

test('sound that is hidden from us is held for', async () => {
  const { audio } = minutesOfSound(0.1);
  const type = '"type":"input_audio_buffer.append"';
  const hidden = [
    `{${type},"\\u0061udio":"${audio}"}`,
    `{${type},"audio"\n\t  : "${audio}"}`,
    `{${type},"audio":"\\"${audio}"}`,
    `{${type},"audio":"${audio}","type":"none"}`,
    `{"type":"input_audio_buffer.\\u0061ppend","\\u0061udio":"${audio}","type":"none"}`,
  ];
  for (const event of hidden) {
    const { key, credit } = await somebodyPoor();
    await credit(1_800_000);
    const talk = t.talk('?model=acme/write', { key });
    await talk.told('session.created');
    talk.say({ type: 'session.update', session: { type: 'transcription', audio: { input: telephony } } });
    for (let part = 0; part < 80; part += 1) talk.say(event);
    expect((await talk.closed()).code, event.slice(0, 80)).toBe(1008);
    await t.settle();
  }
});

test('the vendor of one test hears nothing in the next', async () => {
  const talk = t.talk();
  await talk.told('session.created');
  for (let part = 0; part < 8; part += 1) talk.say(minutesOfSound(2));
  await until('it is heard', () => t.vendor.heard.length > 0);
  const [socket] = t.vendor.sockets;
  await t.settle();
  expect(socket!.readyState).toBe(WebSocket.CLOSED);
});

test('a transcriber without a price of its own is held for at that of the model', async () => {
  const held: number[] = [];
  for (const transcription of [null, { model: 'whisper-1' }]) {
    await fromHere();
    const talk = t.talk();
    await talk.told('session.created');
    talk.say({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { ...telephony, transcription } } },
    });
    for (let part = 0; part < 4; part += 1) talk.say(minutesOfSound(2));
    await until('it is heard', () => t.vendor.heard.length === 5);
    held.push(quota - (await t.relay.money()).quota);
    await t.settle();
  }
  // More than a vendor counts for eight minutes.
  expect(held[1]! - held[0]!).toBeGreaterThan(
    costOf(price, { promptTokens: 4_800, completionTokens: 0, audioInTokens: 4_800 }),
  );
});

test('the hold for audio is released once it is transcribed or found silent', async () => {
  const ways: [what: string, told: Json[], seconds: number][] = [
    ['all of it', [], 240],
    ['silence', [{ type: 'input_audio_buffer.speech_stopped', item_id: '#', audio_end_ms: 240_000 }], 6],
  ];
  for (const [, told, seconds] of ways) {
    const { key, credit } = await somebodyPoor();
    await credit(6_000_000);
    const talk = t.talk('?model=acme/write', { key });
    await talk.told('session.created');
    talk.say({ type: 'session.update', session: { type: 'transcription', audio: { input: telephony } } });
    const vendor = t.vendor.sockets.at(-1)!;
    for (let turn = 1; turn <= 4; turn += 1) {
      const before = appended().length;
      talk.say(minutesOfSound(4));
      await until('it is heard', () => appended().length > before);
      for (const event of told)
        vendor.send(
          JSON.stringify(event)
            .replace('#', `item_${turn}`)
            .replace('240000', String(240_000 * turn)),
        );
      vendor.send(transcript('completed', { item_id: `item_${turn}`, usage: { type: 'duration', seconds } }));
      await talk.told('conversation.item.input_audio_transcription.completed', turn);
    }
    talk.socket.close();
  }
});

test('when the balance runs out, the client gets an error and the socket closes', async () => {
  const { key, credit } = await somebodyPoor();
  const refused = await t.ask('?model=acme/voice', { authorization: `Bearer ${key}` });
  expect(refused.status).toBe(403);
  expect(((await refused.json()) as { error: Json }).error).toMatchObject({ code: 'insufficient_user_quota' });
  // What one response may cost, and not a second one.
  await credit(150_000);
  answerWith(created, (id) => done(id, usage));
  const talk = t.talk(undefined, { key });
  await talk.told('session.created');
  talk.say({ type: 'response.create' });
  await talk.told('response.done');
  expect(await talk.told('error')).toMatchObject({
    error: { code: 'insufficient_user_quota', type: 'insufficient_quota' },
  });
  expect(await talk.closed()).toMatchObject({ code: 1008, reason: 'Your balance does not cover this request.' });
  // Five minutes are held for a transcript, and no second time.
  const writer = await somebodyPoor();
  await writer.credit(1_500_000);
  const writing = t.talk('?model=acme/write', { key: writer.key });
  await writing.told('session.created');
  t.vendor.sockets.at(-1)!.send(transcript('completed', { item_id: 'a', usage: { type: 'duration', seconds: 30 } }));
  await writing.told('conversation.item.input_audio_transcription.completed');
  expect(await writing.told('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
  expect((await writing.closed()).code).toBe(1008);
  const self = (await (await writer.user.call('/api/user/self')).json()) as { data: { quota: number } };
  expect(self.data.quota).toBe(1_350_000);
});
