import { afterEach, describe, expect, test } from 'bun:test';
import type { KyselyPlugin } from 'kysely';
import { AppError } from '../../lib/errors.ts';
import { until } from '../../lib/until.fixture.ts';
import type { Deps } from '../ports.ts';
import { type Stage, stage, wordVector } from '../scripted.fixture.ts';
import { engines, type TestDb } from '../store/db.fixture.ts';
import { claimUnembedded } from '../store/unembedded.ts';
import { openRouter } from './router.fixture.ts';

const entry = (i: number) => ({
  category: 'c',
  title: `Entry ${i}`,
  content: `berth${i} of the harbour`,
  keywords: [],
});

describe.each(await engines())('knowledge added in parallel, on %s', (name, open) => {
  const places: { s: Stage; router: ReturnType<typeof openRouter> }[] = [];
  const closeAll = async () => {
    for (const { s, router } of places.splice(0).reverse()) {
      await router.close();
      await s.close();
    }
  };
  afterEach(closeAll);

  /** Embedding takes a while, as at a vendor, so that others come meanwhile. */
  const slowEmbed =
    (embedded: string[], pace: () => Promise<unknown>): Deps['embed'] =>
    async ({ texts }) => {
      await pace();
      embedded.push(...texts);
      return { vectors: texts.map(wordVector), usage: { promptTokens: 1, completionTokens: 0 } };
    };

  /** Processes on one database: each has connections and a name of its own. */
  const begin = async (embed: Deps['embed']): Promise<TestDb> => {
    const first = await open();
    for (const database of name === 'postgres' ? [first, await first.again!()] : [first]) {
      const s = await stage(
        () => 'noted',
        { embed },
        async () => database,
      );
      places.push({ s, router: openRouter(s.deps) });
    }
    return first;
  };
  const settled = () => Promise.all(places.map(({ s }) => s.settled()));
  const vectors = async (database: TestDb) => {
    const { count } = await database.db
      .selectFrom('ms_vectors')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  const outcome = async (database: TestDb, embedded: string[]) => {
    await settled();
    const stored = await vectors(database);
    const warnings = places.flatMap(({ s }) => s.warnings);
    await closeAll();
    const deadlocks = (await database.deadlocks?.()) ?? 0;
    return { embedded: embedded.length, distinct: new Set(embedded).size, stored, deadlocks, warnings };
  };
  const once = (texts: number) => ({ embedded: texts, distinct: texts, stored: texts, deadlocks: 0, warnings: [] });

  test('each text is embedded once despite concurrent additions, and none is missed', async () => {
    const embedded: string[] = [];
    const database = await begin(slowEmbed(embedded, () => Bun.sleep(5)));
    const [clients, each] = [16, 6];
    const client = async (c: number) => {
      const { router } = places[c % places.length]!;
      for (let i = 0; i < each; i += 1) {
        const made = await router.call('POST', '/knowledge', entry(c * each + i));
        expect(made.status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, c) => client(c)));
    expect(await outcome(database, embedded)).toEqual(once(clients * each));
  });

  test('messages of parallel chats are embedded once too', async () => {
    const embedded: string[] = [];
    const database = await begin(slowEmbed(embedded, () => Bun.sleep(5)));
    const chats = 12;
    const chat = (i: number) => places[i % places.length]!.s.ask(`Is berth${i} of the harbour free?`);
    await Promise.all(Array.from({ length: chats }, (_, i) => chat(i)));
    // The question of each; its answer is one short word.
    expect(await outcome(database, embedded)).toEqual(once(chats));
  });

  test('texts claimed by a dead process are released, those of a living one are not', async () => {
    const embedded: string[] = [];
    const held = Promise.withResolvers<void>();
    const database = await begin(slowEmbed(embedded, () => held.promise));
    const { router, s } = places[0]!;
    await router.call('POST', '/knowledge', entry(1));
    const free = () => claimUnembedded(database.db, s.deps.owners.id, 1, 10);
    await until('the entry is taken', async () => {
      const row = await database.db.selectFrom('ms_unembedded').select('owner').executeTakeFirst();
      return row?.owner === s.deps.owners.id;
    });
    expect(await free()).toEqual([]);
    const gone = s.deps.owners.id;
    await database.db.deleteFrom('owners').where('id', '=', gone).execute();
    expect(await claimUnembedded(database.db, 'next', 1, 10)).toHaveLength(1);
    await database.db.insertInto('owners').values({ id: gone, beats: 0 }).execute();
    held.resolve();
    // It was taken for dead and was not: its vector is as good as the other's would be, and there is one.
    expect(await outcome(database, embedded)).toEqual(once(1));
  });

  test('texts are left to the next caller if the provider fails', async () => {
    const embedded: string[] = [];
    let failures = 1;
    const embed = slowEmbed(embedded, async () => {
      failures -= 1;
      if (failures >= 0) throw new AppError('provider_error', 'not now');
    });
    const database = await begin(embed);
    for (const i of [1, 2]) {
      await places[0]!.router.call('POST', '/knowledge', entry(i));
      await settled();
    }
    expect(places[0]!.s.warnings.splice(0)).toHaveLength(1);
    expect(await outcome(database, embedded)).toEqual(once(2));
  });

  test('paid vectors are stored even if the first database write fails', async () => {
    const embedded: string[] = [];
    const database = await begin(slowEmbed(embedded, async () => {}));
    const { s } = places[0]!;
    const broken: KyselyPlugin = {
      transformQuery({ node }) {
        const writes = node.kind === 'InsertQueryNode' && JSON.stringify(node.into).includes('ms_vectors');
        if (writes && breaks-- > 0) throw Object.assign(new Error('deadlock detected'), { errno: '40P01' });
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    let breaks = 2;
    const router = openRouter({ ...s.deps, db: s.deps.db.withPlugin(broken) });
    await router.call('POST', '/knowledge', entry(1));
    await settled();
    await router.close();
    expect(breaks).toBeLessThan(0);
    expect(await outcome(database, embedded)).toEqual(once(1));
  });
});
