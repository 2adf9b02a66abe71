/** Messages of a client's sockets are JSON of the client's choice, as bodies of requests are, and must not take long either. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { shapeLimits } from '../lib/json-shape.ts';
import { until } from '../lib/until.fixture.ts';
import { openRealtimeTest, type RealtimeTest, Talk } from './realtime/realtime.fixture.ts';
import type { Json } from './wire/conversation.ts';

let t: RealtimeTest;
let talk: Talk | undefined;
beforeAll(async () => {
  t = await openRealtimeTest();
});
afterEach(async () => {
  talk?.socket.close();
  await t.settle();
});
afterAll(() => t.close());

const repeated = (text: string, count: number) => Array.from({ length: count }, () => text).join(',');
/** Each beyond one limit of shape, and below the limit of size. */
const heavy: [what: string, value: string][] = [
  ['too many values', `[${repeated('1', shapeLimits.values + 1)}]`],
  ['too many members', `[${repeated('{"a":1}', shapeLimits.names + 1)}]`],
  ['too many escapes', `"${'\\n'.repeat(shapeLimits.escapes + 1_000)}"`],
  ['too much data outside of strings', `[${' '.repeat(shapeLimits.bare + 1)}]`],
  ['nested deeper', `${'['.repeat(shapeLimits.depth * 500)}${']'.repeat(shapeLimits.depth * 500)}`],
];

const responsesAt = async (): Promise<Talk> => {
  const opened = new Talk(`ws://127.0.0.1:${t.port}/v1/responses`, {
    headers: { authorization: `Bearer ${t.relay.key}` },
  });
  await until('it is open', () => opened.socket.readyState === WebSocket.OPEN);
  return opened;
};
const sessionAt = async (): Promise<Talk> => {
  const opened = t.talk();
  await opened.told('session.created');
  return opened;
};

const doors: [door: string, open: () => Promise<Talk>, event: (value: string) => string][] = [
  ['a response', responsesAt, (value) => `{"type":"response.create","model":"acme/words","input":${value}}`],
  ['a steered response', responsesAt, (value) => `{"type":"response.steer","input":${value}}`],
  ['a description of a session', sessionAt, (value) => `{"type":"session.update","session":{"tools":${value}}}`],
];

describe.each(doors)('%s', (_, open, event) => {
  test.each(heavy)('with %s is refused unread, and the connection stays', async (what, value) => {
    talk = await open();
    talk.say(event(value));
    const told = ((await talk.told('error')) as { error: Json }).error;
    expect(told).toMatchObject({ type: 'invalid_request_error', code: 'invalid_value' });
    expect(told.message).toContain(what);
    talk.say('[]');
    expect(((await talk.told('error', 2)) as { error: Json }).error.code).toBe('invalid_json');
  });
});
