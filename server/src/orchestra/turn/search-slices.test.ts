import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { KyselyPlugin } from 'kysely';
import { openRouter } from '../routes/router.fixture.ts';
import { type Stage, stage, wordVector } from '../scripted.fixture.ts';
import { addEntry } from '../store/knowledge.ts';
import { claimUnembedded } from '../store/unembedded.ts';
import { saveVectors } from '../store/vectors.ts';
import { newUserQueue, sliceRows } from '../work-slices.ts';
import { writeEntry } from './after-answer.ts';

/*
 * One user with much knowledge, on a database that answers at once: nothing but the slices lets others in between. Counted
 * in turns of the loop and in rows, not in time.
 */
const [much, little] = [1, 2];
const many = 1_200;
let s: Stage;

const add = async (userId: number, count: number) => {
  for (let i = 0; i < count; i += 1) {
    const fact = { category: 'c', title: `Berth ${i}`, content: `harbour berth${i} is free`, keywords: [] };
    await writeEntry(s.deps.db, userId, (tx) => addEntry(tx, { ...fact, userId }, 1));
  }
  const ids = await claimUnembedded(s.deps.db, s.deps.owners.id, userId, count);
  const vectors = ids.map((documentId, i) => ({ documentId, vector: wordVector(`harbour berth${i} is free`) }));
  await saveVectors(s.deps.db, userId, 'v/embed', vectors);
};

beforeAll(async () => {
  s = await stage(() => 'noted');
  await add(much, many);
  await add(little, 3);
});
afterAll(() => s.close());

/** Rows that each turn of the loop has read. */
async function readPerTurn(work: (deps: Stage['deps']) => Promise<unknown>): Promise<number[]> {
  const turns = [0];
  let ended = false;
  const next = () => {
    turns.push(0);
    if (!ended) setImmediate(next);
  };
  setImmediate(next);
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      turns[turns.length - 1]! += result.rows.length;
      return result;
    },
  };
  await work({ ...s.deps, db: s.deps.db.withPlugin(count) });
  ended = true;
  return turns;
}

const path = '/knowledge?q=harbour%20free&limit=100';

test('a search reads its rows in slices', async () => {
  // The signs of all vectors are read once, by the first search.
  const first = openRouter(s.deps);
  await first.call('GET', path, undefined, much);
  await first.close();
  const turns = await readPerTurn(async (deps) => {
    const router = openRouter(deps);
    expect((await router.call('GET', path, undefined, much)).body.data).toHaveLength(100);
    await router.close();
  });
  const total = turns.reduce((sum, rows) => sum + rows, 0);
  expect(total).toBeGreaterThan(10 * sliceRows);
  // Words, and the few rows of settings: what else a turn reads is no list.
  expect(Math.max(...turns)).toBeLessThanOrEqual(5 * sliceRows);
  expect(turns.filter((rows) => rows > 0).length).toBeGreaterThan(total / (5 * sliceRows));
});

test('twenty searches of one user hardly delay another user', async () => {
  const router = openRouter(s.deps);
  let done = 0;
  const search = () =>
    router.call('GET', path, undefined, much).then(({ status }) => {
      expect(status).toBe(200);
      done += 1;
    });
  const searches = Array.from({ length: 20 }, search);
  // As from a socket: in a later turn of the loop.
  await new Promise(setImmediate);
  const other = await router.call('GET', '/knowledge?q=harbour', undefined, little);
  expect(other.body.data).toHaveLength(3);
  expect(done).toBeLessThanOrEqual(4);
  await Promise.all(searches);
  await router.close();
});

test('searches per user are limited and queued in order, and a failure frees its place', async () => {
  const line = newUserQueue(2);
  const began: string[] = [];
  let [running, most] = [0, 0];
  const work = (name: string) => async () => {
    began.push(name);
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    if (name === 'b') throw new Error('failed');
  };
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ends = await Promise.allSettled(names.map((name) => line(much, work(name))));
  expect(ends.map(({ status }) => status)).toEqual(names.map((name) => (name === 'b' ? 'rejected' : 'fulfilled')));
  expect(began).toEqual(names);
  expect(most).toBe(2);
  const gate = Promise.withResolvers<void>();
  const held = [1, 2, 3].map(() => line(much, () => gate.promise));
  await line(little, async () => began.push('other'));
  expect(began.at(-1)).toBe('other');
  gate.resolve();
  await Promise.all(held);
});
