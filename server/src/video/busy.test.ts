import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../lib/until.fixture.ts';
import { changeJob } from './store.ts';
import { type ScriptedUpstream, startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

/* A provider that is at its limit has refused nothing: the job waits, as long as it may take at all. */

let world: VideoTest;
let client: Client;
let upstream: ScriptedUpstream;
let refusal: Response | undefined;
const model = 'films/busy';

beforeAll(async () => {
  world = await openVideoTest();
  upstream = startUpstream('openai', { status: 'completed', onSubmit: () => refusal?.clone() });
  await addModel(world.root.call, upstream.url, { model });
  client = await world.client(10_000_000);
});
afterAll(async () => {
  upstream.stop();
  await world.close();
});

const db = () => world.test.platform.database.db;
const jobOf = (id: string) => db().selectFrom('video_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A job that was refused so often that it would fail with the next failure, and then once more. */
async function refusedAgain(status: number, headers: Record<string, string> = {}) {
  refusal = Response.json({ error: { message: 'later' } }, { status, headers });
  const seen = upstream.submits.length;
  const { id } = await client.create({ model, prompt: 'waves' });
  await until('it was refused', async () => (await jobOf(id)).rounds > 0);
  await changeJob(db(), id, { rounds: 8, touched_at_ms: 1 });
  await until('it was refused again', () => upstream.submits.length > seen + 1);
  await until('that is noted', async () => (await jobOf(id)).touched_at_ms !== 1);
  return id;
}

test('a job that every provider refuses with 429 waits until one takes it', async () => {
  const id = await refusedAgain(429);
  expect(await jobOf(id)).toMatchObject({ status: 'pending', rounds: 8 });
  refusal = undefined;
  await db().updateTable('jobs').set({ due_at_ms: 0 }).where('queue', '=', 'video').execute();
  expect((await client.reach(id, 'completed')).usage?.cost).toBeGreaterThan(0);
});

test('one that they fail to take has failed', async () => {
  const id = await refusedAgain(500);
  expect(await jobOf(id)).toMatchObject({ status: 'failed' });
});

test('a provider is asked again when it says', async () => {
  refusal = Response.json({}, { status: 429, headers: { 'retry-after': '200' } });
  const { id } = await client.create({ model, prompt: 'waves' });
  await until('it was refused', async () => (await jobOf(id)).rounds > 0);
  const jobs = () => db().selectFrom('jobs').selectAll().where('queue', '=', 'video').execute();
  await until('it waits', async () => (await jobs()).some(({ due_at_ms: at }) => Number(at) > Date.now() + 190_000));
});
