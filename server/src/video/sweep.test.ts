import { afterAll, beforeAll, expect, test } from 'bun:test';
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

test('a job whose work item is lost is put back to work', async () => {
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

test('a job that was never accepted goes, and its money comes back', async () => {
  const before = await client.quota();
  upstream.script = { status: 'queued' };
  const { id } = await client.create({ model: 'films/one', prompt: 'x' });
  await age(id, { held: 0 });
  expect((await client.call(`/v1/videos/${id}`)).status).toBe(404);
  world.test.app.sweep();
  while (await exists(id)) await Bun.sleep(20);
  expect(await client.quota()).toBe(before);
});

test('an end whose consequences were cut off by a crash is made whole once', async () => {
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
