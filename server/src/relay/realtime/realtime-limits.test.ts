import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { agreeingServer, serverFrame } from '../../platform/upstream/agreeing-server.fixture.ts';
import { clientFrame, opcodes } from '../../platform/upstream/web-socket-frames.ts';
import { addUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import {
  created,
  done,
  openRealtimeTest,
  prices,
  type RealtimeTest,
  rawClient,
  type Talk,
  words,
} from './realtime.fixture.ts';

const clock = manualClock();
let t: RealtimeTest;
beforeAll(async () => {
  t = await openRealtimeTest(clock);
});
afterAll(() => t.close());
afterEach(() => t.settle());

/** Second by second, with time for what happens meanwhile. */
async function pass(seconds: number, each = 1): Promise<void> {
  for (let second = 0; second < seconds; second += each) {
    clock.advance(each * 1_000);
    await Bun.sleep(1);
  }
}

const begun = async (query?: string, init?: Parameters<RealtimeTest['talk']>[1]): Promise<Talk> => {
  const talk = t.talk(query, init);
  await talk.told('session.created');
  return talk;
};
const model = (id: string) => [{ model_id: id, type: 'realtime', prices }];
const codeOf = async (answer: Response) => ((await answer.json()) as { error: Json }).error.code;

test('a session ends after an hour', async () => {
  const talk = await begun();
  await pass(3_590, 10);
  expect(talk.ended).toBeUndefined();
  await pass(12);
  expect(await talk.told('error')).toMatchObject({ error: { code: 'timeout' } });
  expect(await talk.closed()).toMatchObject({ code: 1001 });
});

test('a client that reads none of its errors is disconnected before they fill memory', async () => {
  const { socket } = await rawClient(t);
  const [vendor] = t.vendor.sockets;
  socket.pause();
  const refused = clientFrame(opcodes.text, Buffer.from('{"session":7}'));
  const many = Buffer.concat(Array.from({ length: 10_000 }, () => refused));
  for (let i = 0; i < 6; i += 1) socket.write(many);
  await until('its session is over', () => vendor!.readyState === WebSocket.CLOSED);
  socket.destroy();
});

test('errors repeat the id of an event, unless it is longer than OpenAI allows', async () => {
  const talk = await begun();
  const ids = ['x'.repeat(512), 'x'.repeat(513)];
  for (const event_id of ids) talk.say({ type: 'session.update', event_id, session: 7 });
  expect(await talk.told('error')).toMatchObject({ error: { event_id: ids[0] } });
  expect(await talk.told('error', 2)).toMatchObject({ error: { event_id: null } });
});

test('the session ends if the upstream answers no pings for a minute', async () => {
  const silent = await agreeingServer((socket) => {
    socket.write(serverFrame(opcodes.text, Buffer.from('{"type":"session.created"}')));
  });
  await addUpstream(t.relay.test, silent.url, model('silent/voice'));
  const talk = await begun('?model=silent/voice');
  await pass(58);
  expect(talk.ended).toBeUndefined();
  await pass(5);
  expect(await talk.told('error')).toMatchObject({ error: { code: 'timeout' } });
  expect(await talk.closed()).toMatchObject({ code: 1011 });
  silent.stop();
});

test('a client that reads nothing for 30 s is disconnected and pays for what was generated', async () => {
  const rows = (await t.relay.usage()).length;
  const client = await rawClient(t);
  const { socket } = client;
  socket.pause();
  const [vendor] = t.vendor.sockets;
  vendor!.send(created('a'));
  for (let i = 0; i < 20; i += 1) vendor!.send(words('a', 'x'.repeat(1024 * 1024)));
  await until('the upstream waits', () => vendor!.getBufferedAmount() > 1024 * 1024);
  await pass(29);
  expect(await t.rowsSince(rows)).toEqual([]);
  // What the system takes in its stead takes a while.
  await pass(30);
  await until('it is charged', async () => (await t.rowsSince(rows)).length === 1);
  expect(await t.rowsSince(rows)).toMatchObject([{ status: 'aborted', estimated: true }]);
  socket.resume();
  await until('the client is left', () => client.closed);
});

test('an expired client secret opens no session, and open sessions continue', async () => {
  const made = await t.relay.post('/v1/realtime/client_secrets', {
    expires_after: { seconds: 10 },
    session: { model: 'acme/voice' },
  });
  const { value } = (await made.json()) as { value: string };
  const by = { authorization: `Bearer ${value}` };
  const talks = [await begun('', { headers: by }), await begun('', { headers: by })];
  await pass(15);
  const refused = await t.ask('', by);
  expect([refused.status, await codeOf(refused)]).toEqual([401, 'invalid_api_key']);
  expect(talks.map(({ ended }) => ended)).toEqual([undefined, undefined]);
});

test('late upstream failures are counted, errors of the caller are not', async () => {
  const fails: [id: string, act: (socket: (typeof t.vendor.sockets)[number]) => void, opens: boolean][] = [
    ['late/lost', (socket) => socket.terminate(), true],
    ['late/failed', (socket) => socket.send(failed({ type: 'server_error', message: 'down' })), true],
    ['late/asked', (socket) => socket.send(failed({ type: 'invalid_request_error', message: 'no' })), false],
    ['late/closed', (socket) => socket.close(1000), false],
  ];
  for (const [id, act, opens] of fails) {
    await addUpstream(t.relay.test, t.vendor.url, model(id));
    const talks: Talk[] = [];
    for (let i = 0; i < 5; i += 1) talks.push(await begun(`?model=${id}`));
    const sockets = t.vendor.sockets.slice(-5);
    await pass(32);
    for (const socket of sockets) {
      socket.send(created('a'));
      act(socket);
    }
    for (const talk of talks) await until('it is told', () => talk.ended !== undefined || talk.texts.length === 3);
    const answer = await t.ask(`?model=${id}`);
    expect([id, answer.status]).toEqual([id, opens ? 503 : 101]);
  }
});

const failed = (error: Json): string => {
  const event = JSON.parse(done('a', null, 'failed')) as { response: Json };
  return JSON.stringify({ ...event, response: { ...event.response, status_details: { type: 'failed', error } } });
};
