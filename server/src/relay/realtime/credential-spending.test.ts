import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { created, done, openRealtimeTest, type RealtimeTest, words } from './realtime.fixture.ts';

/* A session's credential has spent what its responses cost, and its transcripts at the price of their own model. */

let t: RealtimeTest;
let root: Member;
let path: string;

beforeAll(async () => {
  t = await openRealtimeTest();
  root = await t.relay.test.root();
  const { data } = (await (await root.call('/api/admin/channels')).json()) as { data: { channels: { id: number }[] } };
  path = `/api/admin/channels/${data.channels[0]!.id}/credentials`;
  // A credential has a day's account once there are several.
  const other = { name: 'Other', credential: 'sk-another-credential' };
  expect((await root.call(path, { method: 'POST', body: other })).status).toBe(201);
});
afterAll(() => t.close());

async function spent(): Promise<number> {
  const { data } = (await (await root.call(path)).json()) as {
    data: { credentials: { health: { today: { spent: number } } }[] };
  };
  return Math.round(data.credentials.reduce((sum, { health }) => sum + health.today.spent, 0) * 500_000);
}
const charged = async () => (await t.relay.money()).used_quota;

test('responses and transcripts of a session count for its credential', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 300, total_tokens: 1_300 };
  t.vendor.onEvent = (socket, event) => {
    if (event.type === 'session.update') socket.send(JSON.stringify({ ...event, type: 'session.updated' }));
    if (event.type === 'response.create')
      for (const text of [created('resp_1'), words('resp_1', 'tea'), done('resp_1', usage)]) socket.send(text);
  };
  const talk = t.talk();
  await talk.told('session.created');
  talk.say({ type: 'response.create' });
  await talk.told('response.done');
  await until('the response is charged', async () => (await charged()) > 0);
  const first = await charged();
  expect(await spent()).toBe(first);
  const audio = { input: { transcription: { model: 'acme/write' } } };
  talk.say({ type: 'session.update', session: { type: 'realtime', audio } });
  await talk.told('session.updated');
  const completed = 'conversation.item.input_audio_transcription.completed';
  const transcript = { type: completed, transcript: 'tea', usage: { type: 'duration', seconds: 30 } };
  t.vendor.sockets[0]!.send(JSON.stringify(transcript));
  await talk.told(completed);
  await until('the transcript is charged', async () => (await charged()) > first);
  expect(await spent()).toBe(await charged());
});
