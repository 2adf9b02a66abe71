import { afterEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { openDb } from '../../platform/db/open.ts';
import { engines, never, openPlace, type Place } from './autonomous.fixture.ts';

const question = 'What is the capital of France?';
const most = 3;

describe.each(await engines())('parallel runs of one user, on %s', (name, open) => {
  const databases: OpenDb[] = [];
  const places: Place[] = [];
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
    for (const database of databases.splice(0)) await database.close();
  });
  const begin = async (count: number): Promise<Place[]> => {
    const first = await open();
    databases.push(first);
    // A process of its own has connections of its own; a SQLite file has one owner.
    const others = name === 'postgres' ? count - 1 : 0;
    for (let i = 0; i < others; i += 1) databases.push(await openDb({ url: await urlOf(first), poolSize: 4 }));
    for (const database of databases)
      places.push(await openPlace(database, () => never(), { deps: { parallelRuns: () => most } }));
    return places;
  };
  const urlOf = async (database: OpenDb): Promise<string> => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db);
    const url = new URL(process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres');
    url.pathname = `/${rows[0]!.name}`;
    return url.href;
  };
  const execute = (place: Place, session_id: string, user?: number) =>
    place.call('POST', '/execute', { message: question, session_id }, user);
  const running = async (place: Place, user = 1) =>
    (await place.call('GET', '?status=running', undefined, user)).body.data.total;

  test('of twenty started together exactly three run, and the others are refused with the reason', async () => {
    const both = await begin(2);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => execute(both[i % both.length]!, `s${i}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
    expect(refused).toHaveLength(17);
    for (const { body } of refused) expect(body).toMatchObject({ success: false, error: 'too_many_runs' });
    expect(refused[0]!.body.message).toContain('3 executions');
    expect(await running(both[0]!)).toBe(most);
    // Each user counts alone.
    expect((await execute(both[0]!, 's0', 2)).status).toBe(200);
  });

  test('a finished run frees one place, and a resume takes one', async () => {
    const [place] = await begin(1);
    for (let i = 0; i < most; i += 1) expect((await execute(place!, `s${i}`)).status).toBe(200);
    expect((await execute(place!, 's9')).status).toBe(429);
    const cancelled = await place!.call('POST', '/cancel', { session_id: 's0' });
    const checkpoint_id = cancelled.body.data.checkpoint_id ?? (await checkpointOf(place!, 's0'));
    expect((await execute(place!, 's9')).status).toBe(200);
    const resume = () => place!.call('POST', '/resume', { session_id: 's0', checkpoint_id });
    expect((await resume()).status).toBe(429);
    await place!.call('POST', '/cancel', { session_id: 's1' });
    expect((await resume()).status).toBe(200);
    expect(await running(place!)).toBe(most);
  });

  const checkpointOf = async (place: Place, session: string): Promise<string> => {
    let found: { checkpoint_id: string }[] = [];
    await until('there is a checkpoint', async () => {
      found = (await place.call('GET', `/${session}/checkpoints`)).body.data.checkpoints;
      return found.length > 0;
    });
    return found.at(-1)!.checkpoint_id;
  };

  test('a refused run leaves no session behind', async () => {
    const [place] = await begin(1);
    for (let i = 0; i < most; i += 1) await execute(place!, `s${i}`);
    expect((await execute(place!, 'left')).status).toBe(429);
    expect((await place!.call('GET', '/left/status')).status).toBe(404);
  });
});
