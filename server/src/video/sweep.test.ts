import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../lib/clock.ts';
import { startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

let world: VideoTest;
let client: Client;
const upstream = startUpstream('openai', { status: 'in_progress' });
const startQuota = 10_000_000;

beforeAll(async () => {
  world = await openVideoTest();
  await addModel(world.root.call, upstream.url);
  client = await world.client(startQuota);
});
afterAll(async () => {
  await world.close();
  upstream.stop();
});

const db = () => world.test.platform.database.db;
/** As if nothing had happened to the job for a while. */
const age = (id: string, changes = {}) =>
  db()
    .updateTable('video_jobs')
    .set({ touched_at_ms: systemClock.nowMs() - 3_600_000, ...changes })
    .where('id', '=', id)
    .execute();
const exists = async (id: string) =>
  (await db().selectFrom('video_jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

test('a job whose queue entry is lost is queued again', async () => {
  const { id } = await client.create({ model: 'films/one', prompt: 'x' });
  await client.reach(id, 'in_progress');
  await db().deleteFrom('jobs').execute();
  upstream.script = { status: 'completed' };
  await Bun.sleep(1_500);
  expect((await client.job(id)).status).toBe('in_progress');
  await age(id);
  world.test.app.sweep();
  await client.reach(id, 'completed');
});

test('a job that was never accepted is deleted and refunded', async () => {
  const before = await client.quota();
  upstream.script = { status: 'queued' };
  const { id } = await client.create({ model: 'films/one', prompt: 'x' });
  await age(id, { held: 0 });
  expect((await client.call(`/v1/videos/${id}`)).status).toBe(404);
  world.test.app.sweep();
  while (await exists(id)) await Bun.sleep(20);
  expect(await client.quota()).toBe(before);
});

test('a finished job interrupted by a crash is completed once', async () => {
  upstream.script = { status: 'completed' };
  const before = await client.quota();
  const { id } = await client.create({ model: 'films/one', prompt: 'x' });
  await client.reach(id, 'completed');
  while ((await client.quota()) !== before - 200_000) await Bun.sleep(20);
  await age(id, { closed: 0 });
  world.test.app.sweep();
  const isOpen = async () =>
    (await db().selectFrom('video_jobs').select('closed').where('id', '=', id).executeTakeFirstOrThrow()).closed < 2;
  while (await isOpen()) await Bun.sleep(20);
  expect(await client.quota()).toBe(before - 200_000);
});

describe('an upstream that accepted a job although the response was lost', () => {
  /** The answers to the first submissions break off. */
  const unheard = (count: number) => (n: number) => (n <= count ? new Response('{"id": "up') : undefined);
  const picture = { frame_images: [{ frame_type: 'first_frame', image_url: { url: 'https://a.test/a.png' } }] };

  test.each([
    { what: 'is not sent the job again', kind: 'openai', jobs: 1, lost: 1, fields: {}, submits: 1 },
    { what: 'makes as many videos as were ordered', kind: 'openai', jobs: 3, lost: 2, fields: {}, submits: 3 },
    {
      what: 'is sent a job with an image again',
      kind: 'openai',
      jobs: 1,
      lost: 1,
      fields: picture,
      submits: 2,
    },
    {
      what: 'is sent the job again if it has no list of jobs',
      kind: 'openrouter',
      jobs: 1,
      lost: 1,
      fields: {},
      submits: 2,
    },
  ] as const)('$what', async ({ kind, jobs, lost, fields, submits }) => {
    const other = startUpstream(kind, { status: 'completed', onSubmit: unheard(lost) });
    const model = `films/${crypto.randomUUID().slice(0, 8)}`;
    await addModel(world.root.call, other.url, { kind, model });
    const orders = Array.from({ length: jobs }, () => client.create({ model, prompt: 'the same', ...fields }));
    const ids = (await Promise.all(orders)).map(({ id }) => id);
    for (const id of ids) await client.reach(id, 'completed');
    const rows = await db().selectFrom('video_jobs').select('upstream_id').where('model_id', '=', model).execute();
    expect([other.submits.length, new Set(rows.map((row) => row.upstream_id)).size]).toEqual([submits, jobs]);
    expect(new Set(other.submits.map(({ key }) => key)).size).toBe(jobs);
    other.stop();
  });
});
