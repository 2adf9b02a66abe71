import { afterAll, beforeAll, expect, test } from 'bun:test';
import { silence } from './lib/audio/sounds.fixture.ts';
import { until } from './lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from './relay/endpoints/relay.fixture.ts';
import {
  addUpstream,
  type ScriptedUpstream,
  type SeenRequest,
  scriptedUpstream,
} from './relay/scripted-upstream.fixture.ts';

/** What a credential may spend in a day counts whatever is bought with it: it is as much as is charged for it. */

let relay: RelayTest;
let upstream: ScriptedUpstream;
let channel: number;

const usage = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 };
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const whole: Record<string, () => Response> = {
  '/chat/completions': () =>
    Response.json({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage },
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    }),
  '/embeddings': () =>
    Response.json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1, 2] }], usage }),
  '/images/generations': () => Response.json({ created: 1, data: [{ b64_json: picture }] }),
  '/audio/speech': () => new Response(new Uint8Array(480_000), { headers: { 'content-type': 'audio/pcm' } }),
  '/audio/transcriptions': () => Response.json({ text: 'hello' }),
  '/rerank': () => Response.json({ results: [{ index: 0, relevance_score: 0.5 }] }),
};

function answer({ path, method }: SeenRequest): Response {
  const found = Object.keys(whole).find((end) => path.endsWith(end));
  if (found) return whole[found]!();
  if (path.endsWith('/content')) return new Response('film', { headers: { 'content-type': 'video/mp4' } });
  const id = path.split('/')[3] ?? `film-${crypto.randomUUID()}`;
  return Response.json({ id, object: 'video', status: method === 'POST' ? 'queued' : 'completed' });
}

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.app.start();
  upstream = scriptedUpstream(answer);
  channel = await addUpstream(relay.test, upstream.url, [
    { model_id: 'chat', prompt_price: 3, completion_price: 7 },
    { model_id: 'embedding', type: 'embedding', prompt_price: 3 },
    { model_id: 'image', type: 'image', request_price: 0.01 },
    { model_id: 'speech', type: 'speech', request_price: 0.6 },
    { model_id: 'transcription', type: 'transcription', request_price: 0.6 },
    { model_id: 'rerank', type: 'rerank', request_price: 0.002 },
    { model_id: 'video', type: 'video', request_price: 0.1 },
  ]);
  const root = await relay.test.root();
  // A credential has a day's account once there are several.
  const other = { name: 'Other', credential: 'sk-another-credential', spend_per_day: 1_000 };
  expect((await root.call(`/api/admin/channels/${channel}/credentials`, { method: 'POST', body: other })).status).toBe(
    201,
  );
  await relay.credit(10_000_000);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

async function spent(): Promise<number> {
  const answered = await (await relay.test.root()).call(`/api/admin/channels/${channel}/credentials`);
  const { data } = (await answered.json()) as { data: { credentials: { health: { today: { spent: number } } }[] } };
  return Math.round(data.credentials.reduce((sum, { health }) => sum + health.today.spent, 0) * 500_000);
}
const charged = async () => (await relay.money()).used_quota;

const messages = [{ role: 'user', content: 'hi' }];
const recording = () => {
  const form = new FormData();
  form.append('model', 'transcription');
  form.append('file', new File([silence(6)], 'a.wav'));
  return form;
};

test.each<[string, string, () => object]>([
  ['a chat', '/v1/chat/completions', () => ({ model: 'chat', messages })],
  ['a text completion', '/v1/completions', () => ({ model: 'chat', prompt: ['one', 'two'] })],
  ['an embedding', '/v1/embeddings', () => ({ model: 'embedding', input: 'hi' })],
  ['a picture', '/v1/images/generations', () => ({ model: 'image', prompt: 'a cat' })],
  ['speech', '/v1/audio/speech', () => ({ model: 'speech', input: 'hi', voice: 'alloy', response_format: 'pcm' })],
  ['a transcript', '/v1/audio/transcriptions', recording],
  ['a ranking', '/v1/rerank', () => ({ model: 'rerank', query: 'tea', documents: ['green tea'] })],
  ['a video', '/v1/videos', () => ({ model: 'video', prompt: 'waves', duration: 4 })],
])('%s', async (_, path, body) => {
  const before = { spent: await spent(), charged: await charged() };
  const answered = await relay.post(path, body());
  expect(answered.status).toBeLessThan(300);
  await answered.bytes();
  await until('it is charged', async () => (await charged()) > before.charged);
  expect((await spent()) - before.spent).toBe((await charged()) - before.charged);
});

const credentials = async () => {
  const answered = await (await relay.test.root()).call(`/api/admin/channels/${channel}/credentials`);
  return ((await answered.json()) as { data: { credentials: { id: number; first: boolean }[] } }).data.credentials;
};
const change = async (id: number, body: object) => {
  const path = `/api/admin/channels/${channel}/credentials/${id}`;
  expect((await (await relay.test.root()).call(path, { method: 'PUT', body })).status).toBe(200);
};
const order = () => relay.post('/v1/videos', { model: 'video', prompt: 'waves', duration: 4 });
const statusOf = async (id: string) =>
  ((await (await relay.get(`/v1/videos/${id}`)).json()) as { status: string }).status;

test('a video waits while the first credential has spent what it may', async () => {
  const first = (await credentials()).find((one) => one.first)!;
  await change(first.id, { spend_per_day: 0.01 });
  const seen = upstream.seen.length;
  const { id } = (await (await order()).json()) as { id: string };
  const { db } = relay.test.platform.database;
  const rounds = async () =>
    (await db.selectFrom('video_jobs').select('rounds').where('id', '=', id).executeTakeFirst())!.rounds;
  await until('it was looked at', async () => (await rounds()) > 0);
  expect([await statusOf(id), upstream.seen.length]).toEqual(['pending', seen]);
  await change(first.id, { spend_per_day: null });
  await db.updateTable('jobs').set({ due_at_ms: 0 }).where('queue', '=', 'video').execute();
  await until('it is made', async () => (await statusOf(id)) === 'completed');
});

test('no video is asked for with another credential than it is fetched with', async () => {
  const [first] = (await credentials()).filter((one) => one.first);
  await change(first!.id, { status: 2 });
  expect((await order()).status).toBe(404);
  expect((await relay.post('/v1/chat/completions', { model: 'chat', messages })).status).toBe(200);
  await change(first!.id, { status: 1 });
  expect((await order()).status).toBeLessThan(300);
});
