import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import type { Member } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { agreeingServer, serverFrame } from '../../platform/upstream/agreeing-server.fixture.ts';
import { opcodes } from '../../platform/upstream/web-socket-frames.ts';
import { addUpstream, resettingUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import {
  created,
  openRealtimeTest,
  prices,
  type RealtimeTest,
  rawClient,
  scriptedVendor,
  words,
} from './realtime.fixture.ts';

let t: RealtimeTest;
beforeAll(async () => {
  t = await openRealtimeTest();
});
afterAll(() => t.close());
afterEach(() => t.settle());

const codeOf = async (answer: Response): Promise<[number, unknown]> => {
  const { error } = (await answer.json()) as { error: Json };
  return [answer.status, error.code];
};
const voice = '?model=acme/voice';

describe('authentication', () => {
  test('a key is accepted as bearer token, as Azure’s header, and as subprotocol', async () => {
    const { key } = t.relay;
    const ways = [
      t.talk(voice, { headers: { authorization: `Bearer ${key}` } }),
      t.talk(voice, { headers: { 'api-key': key } }),
      t.talk('?model=voice', { protocols: [`openai-insecure-api-key.${key}`, 'realtime', 'openai-beta.realtime-v1'] }),
      t.talk(`?api-version=1&deployment=acme/voice&api-key=${key}`, { headers: {} }),
    ];
    for (const talk of ways) await talk.told('session.created');
    expect(ways[2]!.socket.protocol).toBe('realtime');
    expect(t.vendor.asked.map(({ headers }) => headers.get('openai-beta'))).toContain('realtime=v1');
    for (const { path, headers } of t.vendor.asked) {
      expect(path).toBe('/v1/realtime?model=rt-1');
      expect(JSON.stringify([...headers])).not.toContain(key);
    }
  });

  test('invalid requests get the usual HTTP errors', async () => {
    const narrow = await t.relay.member.key({ models: ['acme/words'] });
    const elsewhere = await t.relay.member.key({ allowed_ips: ['192.0.2.1'] });
    const by = (key: string) => ({ authorization: `Bearer ${key}` });
    const cases: [query: string, headers: Record<string, string>, status: number, code: string][] = [
      [voice, by('sk-wrong'), 401, 'invalid_api_key'],
      [voice, by('ek_wrong'), 401, 'invalid_api_key'],
      [voice, { 'api-key': 'sk-another' }, 401, 'invalid_api_key'],
      [voice, by(narrow), 403, 'model_not_allowed'],
      [voice, by(elsewhere), 403, 'ip_not_allowed'],
      ['?model=acme/none', {}, 404, 'model_not_found'],
      ['?model=acme/words', {}, 400, 'invalid_value'],
      ['', {}, 400, 'missing_required_parameter'],
      [voice, { upgrade: 'h2c' }, 426, 'upgrade_required'],
    ];
    for (const [query, headers, status, code] of cases) {
      const answer = await t.ask(query, headers);
      expect([query, ...(await codeOf(answer))]).toEqual([query, status, code]);
      expect(answer.headers.get('x-request-id')).toStartWith('req_');
    }
    expect(await codeOf(await t.relay.get(`/v1/realtime${voice}`))).toEqual([426, 'upgrade_required']);
    for (const path of ['?model=acme/voice', '/calls', '/calls/rtc_1/hangup']) {
      const headers = { 'content-type': 'application/sdp' };
      const answer = await t.relay.post(`/v1/realtime${path}`, 'v=0', { headers });
      expect([answer.status, ((await answer.json()) as { error: Json }).error.message]).toEqual([
        426,
        expect.stringMatching(/WebSocket: ws:\/\/\S+\/v1\/realtime\?model=/),
      ]);
    }
    expect(t.vendor.asked).toHaveLength(0);
  });

  test('a user may have at most fifty free sessions at once', async () => {
    const somebody = await t.relay.test.user();
    const key = await somebody.key();
    const free = '?model=demo/realtime';
    const open = Array.from({ length: 50 }, () => t.talk(free, { key }));
    for (const talk of open) await talk.told('session.created');
    const by = { authorization: `Bearer ${await somebody.key()}` };
    expect((await t.ask(free, by)).status).toBe(429);
    const another = t.talk(free);
    await another.told('session.created');
    open[0]!.socket.close();
    await open[0]!.closed();
    await until('there is room again', async () => (await t.ask(free, by)).status !== 429);
  });

  test('a session ends when the caller’s access is revoked', async () => {
    const { db } = t.relay.test.platform.database;
    const root = await t.relay.test.root();
    const ends: [what: (user: Member, keyId: number) => Promise<Response>, code: string][] = [
      [(user, id) => user.call(`/api/tokens/${id}`, { method: 'DELETE' }), 'invalid_api_key'],
      [
        (user, id) => user.call(`/api/tokens/${id}`, { method: 'PUT', body: { models: ['acme/words'] } }),
        'model_not_allowed',
      ],
      [(user) => root.call(`/api/admin/users/${user.id}`, { method: 'PUT', body: { status: 2 } }), 'invalid_api_key'],
    ];
    for (const [what, code] of ends) {
      const user = await t.relay.test.user();
      const credits = { method: 'POST', body: { quota: 10_000_000 } };
      await root.call(`/api/admin/users/${user.id}/credits`, credits);
      const key = await user.key();
      const { id } = await db.selectFrom('api_keys').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
      const made = await t.relay.post(
        '/v1/realtime/client_secrets',
        { session: { model: 'acme/voice' } },
        { headers: { authorization: `Bearer ${key}` } },
      );
      const { value } = (await made.json()) as { value: string };
      const talks = [t.talk(voice, { key }), t.talk(voice, { key: value })];
      for (const talk of talks) await talk.told('session.created');
      const answer = await what(user, id);
      expect([code, answer.status]).toEqual([code, 200]);
      for (const talk of talks) {
        expect(await talk.told('error')).toMatchObject({ error: { code } });
        expect((await talk.closed()).code).toBe(1008);
      }
      expect((await t.ask(voice, { authorization: `Bearer ${value}` })).status).toBeGreaterThanOrEqual(400);
    }
  });

  test('a client secret acts for a key, with one model and initial settings', async () => {
    const make = (body: unknown, key = t.relay.key) =>
      t.relay.post('/v1/realtime/client_secrets', body, { headers: { authorization: `Bearer ${key}` } });
    const narrow = await t.relay.member.key({ models: ['acme/words'] });
    expect(await codeOf(await make({ session: { model: 'acme/voice' } }, narrow))).toEqual([403, 'model_not_allowed']);
    expect(await codeOf(await make({ session: { model: 'acme/none' } }))).toEqual([404, 'model_not_found']);
    const unnamed = [{}, { type: 'transcription' }, { type: 'transcription', model: 'acme/write' }];
    for (const session of unnamed)
      expect(await codeOf(await make({ session }))).toEqual([400, 'missing_required_parameter']);
    const audioOf = (model: string) => ({ type: 'transcription', audio: { input: { transcription: { model } } } });
    expect(await codeOf(await make({ session: audioOf('acme/voice') }))).toEqual([400, 'invalid_value']);
    expect(await codeOf(await make({ session: audioOf('acme/write') }, narrow))).toEqual([403, 'model_not_allowed']);
    const noise = Array.from({ length: 9_000 }, () => Math.random().toString(36)[5]).join('');
    expect(await codeOf(await make({ session: { model: 'acme/voice', instructions: noise } }))).toEqual([
      400,
      'invalid_value',
    ]);
    const instructions = 'Speak like a sailor. '.repeat(500);
    const audio = { input: { transcription: { model: 'acme/write' } } };
    const made = await make({
      expires_after: { seconds: 60 },
      session: { type: 'realtime', model: 'acme/voice', instructions, audio },
    });
    const { value, expires_at } = (await made.json()) as { value: string; expires_at: number };
    expect(value).toStartWith('ek_');
    expect(Math.abs(expires_at - Date.now() / 1000 - 60)).toBeLessThan(30);
    const protocols = ['realtime', `openai-insecure-api-key.${value}`];
    await t.talk('', { protocols }).told('session.created');
    await until('it is told how to begin', () => t.vendor.heard.length > 0);
    const began = { type: 'realtime', instructions, audio: { input: { transcription: { model: 'write-1' } } } };
    expect(t.vendor.heard[0]).toEqual({ type: 'session.update', session: began });
    const by = { authorization: `Bearer ${value}` };
    expect(await codeOf(await t.ask('?model=demo/realtime', by))).toEqual([403, 'model_not_allowed']);
    expect(await codeOf(await t.ask('', { authorization: `Bearer ${value.slice(0, -3)}AAA` }))).toEqual([
      401,
      'invalid_api_key',
    ]);
    // For nothing but sessions.
    expect((await t.relay.get('/v1/models', { headers: by })).status).toBe(401);
  });
});

describe('client events', () => {
  test('an invalid event is rejected, and the session continues', async () => {
    const talk = t.talk();
    await talk.told('session.created');
    const narrow = await t.relay.member.key({ models: ['acme/voice'] });
    const frames: [frame: Json | string | Uint8Array<ArrayBuffer>, error: Json][] = [
      [new Uint8Array([1, 2]), { code: 'invalid_value' }],
      ['tea', { code: 'invalid_json' }],
      ['[1]', { code: 'invalid_json' }],
      [
        { type: 'session.update', event_id: 'e1', session: { model: 'acme/words' } },
        { param: 'session.model', event_id: 'e1' },
      ],
      [
        `{"type":"x","audio":"${'A'.repeat(70_000)}","ses\\u0073ion":{"model":"acme/words"}}`,
        { param: 'session.model' },
      ],
      ['{"type":"session.update","session":{"model":"acme/words"},"session":null}', { param: 'session' }],
    ];
    for (const [i, [frame, error]] of frames.entries()) {
      talk.say(frame);
      expect(await talk.told('error', i + 1)).toMatchObject({ error });
    }
    talk.say(
      '{"type":"session.update","session":{"model":"acme/words"},"session":{"model":"voice","instructions":"x"}}',
    );
    talk.say({ type: 'input_audio_buffer.append', audio: 'A'.repeat(3_000_000) });
    talk.say({ type: 'response.create' });
    await until('the others are heard', () => t.vendor.heard.length === 3);
    expect(t.vendor.heard.map(({ type }) => type)).toEqual([
      'session.update',
      'input_audio_buffer.append',
      'response.create',
    ]);
    expect(t.vendor.heard[0]).toMatchObject({ session: { model: 'rt-1', instructions: 'x' } });
    const other = t.talk(voice, { key: narrow });
    await other.told('session.created');
    other.say({ type: 'session.update', session: { input_audio_transcription: { model: 'acme/write' } } });
    expect(await other.told('error')).toMatchObject({ error: { code: 'model_not_allowed' } });
  });

  test('frames that are not UTF-8 or not masked end the session', async () => {
    const frames = [
      [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
      [0x81, 0x02, 0x7b, 0x7d],
    ];
    for (const frame of frames) {
      const client = await rawClient(t);
      client.socket.write(Uint8Array.from(frame));
      await until('it is closed', () => client.closed);
    }
    expect(t.vendor.heard).toEqual([]);
  });

  test('a frame that is too large ends the session', async () => {
    const talk = t.talk();
    await talk.told('session.created');
    talk.say('x'.repeat(17 * 1024 * 1024));
    expect([1006, 1009]).toContain((await talk.closed()).code);
  });
});

describe('upstream behaviour', () => {
  const json = (status: number, error: Json, headers = {}) => Response.json({ error }, { status, headers });

  test('a refusal before the session opens is an HTTP error', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((ready) => silent.once('listening', ready));
    const { port } = silent.address() as { port: number };
    const reset = resettingUpstream();
    const model = (id: string) => [{ model_id: id, type: 'realtime', prices }];
    await addUpstream(t.relay.test, `http://127.0.0.1:${port}/v1`, model('slow/voice'), { timeout_ms: 1_000 });
    await addUpstream(t.relay.test, reset.url, model('reset/voice'));
    await addUpstream(t.relay.test, t.vendor.url, model('broken/voice'));
    expect(await codeOf(await t.ask('?model=slow/voice'))).toEqual([504, 'timeout']);
    expect(await codeOf(await t.ask('?model=reset/voice'))).toEqual([502, 'provider_error']);
    silent.close();
    reset.close();
    const quota = (await t.relay.money()).quota;
    const refusals: [refuse: () => Response, expected: [number, string]][] = [
      [() => json(400, { message: 'no such voice', code: 'invalid_value' }), [400, 'invalid_value']],
      [() => json(429, { message: 'slow down' }, { 'retry-after': '7' }), [429, 'capacity_exhausted']],
      [() => json(401, { message: 'wrong key up-secret-credential' }), [502, 'provider_error']],
      [() => new Response('hello'), [502, 'provider_error']],
    ];
    for (const [refuse, expected] of refusals) {
      t.vendor.refuse = refuse;
      expect(await codeOf(await t.ask('?model=broken/voice'))).toEqual(expected);
    }
    t.vendor.refuse = undefined;
    for (const greeting of [
      'tea',
      JSON.stringify({ type: 'error', error: { message: 'broken', code: 'server_error' } }),
    ]) {
      t.vendor.greeting = greeting;
      expect(await codeOf(await t.ask('?model=broken/voice'))).toEqual([502, 'provider_error']);
    }
    expect((await t.relay.money()).quota).toBe(quota);
  });

  test('falls back to the next upstream before the first event', async () => {
    const second = scriptedVendor();
    const two = { model_id: 'two/voice', type: 'realtime' };
    await addUpstream(t.relay.test, t.vendor.url, [{ ...two, prices: { prompt: 1, completion: 1 } }], { priority: 9 });
    await addUpstream(t.relay.test, second.url, [{ ...two, prices: { prompt: 9, completion: 9 } }]);
    t.vendor.refuse = () => json(500, { message: 'down' });
    const talk = t.talk('?model=two/voice');
    await talk.told('session.created');
    expect(second.sockets).toHaveLength(1);
    talk.socket.close();
    await until('it is left', () => second.sockets[0]!.readyState !== 1);
    await second.close();
  });

  test('a close is forwarded with its code, and a lost connection is reported as an error', async () => {
    const ends: [act: (socket: (typeof t.vendor.sockets)[number]) => void, code: number, reason: string][] = [
      [(socket) => socket.close(4_000, 'enough'), 4_000, 'enough'],
      [(socket) => socket.close(1_000), 1_000, ''],
      [(socket) => socket.terminate(), 1_011, 'The connection to the provider was lost.'],
      [(socket) => socket.send('tea'), 1_011, 'The provider sent an invalid event.'],
      [(socket) => socket.send(new Uint8Array([1])), 1_011, 'The provider sent an invalid event.'],
      [(socket) => socket.send('x'.repeat(17 * 1024 * 1024)), 1_009, 'a message is too large'],
    ];
    // Each a model of its own: failures open circuits.
    const models = ends.map((_, i) => ({ model_id: `ends/voice-${i}`, type: 'realtime', prices }));
    await addUpstream(t.relay.test, t.vendor.url, models);
    for (const [i, [act, code, reason]] of ends.entries()) {
      const talk = t.talk(`?model=ends/voice-${i}`);
      await talk.told('session.created');
      act(t.vendor.sockets.at(-1)!);
      expect(await talk.closed()).toEqual({ code, reason });
    }
  });
});

describe('slow readers', () => {
  const mebibyte = 1024 * 1024;
  const event = JSON.stringify({ type: 'x', text: 'x'.repeat(mebibyte) });

  test('a client that does not read slows the upstream down and loses nothing', async () => {
    const client = await rawClient(t);
    const { socket } = client;
    socket.pause();
    const before = process.memoryUsage.rss();
    const [vendor] = t.vendor.sockets;
    const count = 40;
    for (let i = 0; i < count; i += 1) vendor!.send(event);
    // Nothing tells that nothing happens.
    await Bun.sleep(300);
    // What is not read waits where it came from: this process is the vendor too.
    expect(vendor!.getBufferedAmount()).toBeGreaterThan(20 * mebibyte);
    expect(process.memoryUsage.rss() - before).toBeLessThan((count + 40) * mebibyte);
    socket.resume();
    await until('all of it is read', () => client.bytes > count * mebibyte);
    socket.destroy();
  });

  test('an upstream that does not read ends the session before memory fills up', async () => {
    const deaf = await agreeingServer((socket) => {
      socket.write(serverFrame(opcodes.text, Buffer.from('{"type":"session.created"}')));
    });
    await addUpstream(t.relay.test, deaf.url, [{ model_id: 'deaf/voice', type: 'realtime', prices }]);
    const talk = t.talk('?model=deaf/voice');
    await talk.told('session.created');
    for (let i = 0; i < 40; i += 1) talk.say(event);
    expect(await talk.told('error')).toMatchObject({ error: { code: 'capacity_exhausted' } });
    expect((await talk.closed()).code).toBe(1013);
    deaf.stop();
  });
});

test('a credential repeated by an upstream is redacted', async () => {
  const talk = t.talk();
  await talk.told('session.created');
  t.vendor.sockets[0]!.send(JSON.stringify({ type: 'error', error: { message: 'not up-secret-credential' } }));
  expect(await talk.told('error')).toEqual({ type: 'error', error: { message: 'not [redacted]' } });
});

test('on shutdown, idle sessions end at once and others after their response', async () => {
  const talks = [t.talk(), t.talk()];
  for (const talk of talks) await talk.told('session.created');
  const [quiet, busy] = t.vendor.sockets;
  busy!.send(created('a'));
  busy!.send(words('a', 'tea'));
  const speaking = (await Promise.race(talks.map((talk) => talk.told('response.created').then(() => talk))))!;
  const other = talks.find((talk) => talk !== speaking)!;
  t.relay.test.app.drain();
  expect(await other.closed()).toMatchObject({ code: 1001 });
  expect(await codeOf(await t.ask(voice))).toEqual([503, 'unavailable']);
  expect(speaking.ended).toBeUndefined();
  expect(quiet).toBeDefined();
  busy!.send(JSON.stringify({ type: 'response.done', response: { id: 'a', status: 'completed', usage: null } }));
  await speaking.told('response.done');
  expect(await speaking.told('error')).toMatchObject({ error: { code: 'unavailable' } });
  expect(await speaking.closed()).toMatchObject({ code: 1001 });
});
