import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { sql } from 'kysely';
import { engines, type TestDb } from '../../billing/engines.fixture.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { sqliteOf } from '../../platform/db/sqlite-dialect.ts';
import { newId } from './items.ts';
import type { Before, Item } from './keeper.ts';
import { ada, openProcess, type Process, responseOf, said, textsOf, user } from './responses.fixture.ts';

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    let here: Process;
    beforeAll(async () => {
      open = await engine.open();
      here = await openProcess(open, engine);
    });
    afterAll(async () => {
      await here.close();
      await open.drop();
    });
    afterEach(async () => {
      await open.db.deleteFrom('kept_responses').execute();
      await open.db.deleteFrom('kept_items').execute();
    });

    const keep = (id: string, text: string, more: Item = {}, named: Before = {}) => {
      const response = responseOf(id, [said(newId('msg'), `${text}!`)], more);
      return here.kept.keeper.keep(ada, { response, input: [user(text)], named });
    };
    const read = async (id: string) => textsOf(await here.kept.keeper.before(ada, { previousResponseId: id }));
    const ids = (count: number) => Array.from({ length: count }, () => newId('resp'));

    /** How many transactions wrote the responses that `work` leaves behind. */
    const commits = async (work: () => Promise<unknown>): Promise<number> => {
      if (engine.name === 'postgres') {
        await work();
        const { rows } = await sql<{ n: number }>`select count(distinct xmin::text) as n from kept_responses`.execute(
          open.db,
        );
        return Number(rows[0]!.n);
      }
      const { writer } = sqliteOf(here.kept.deps.db);
      const grouped = spyOn(prepared(writer, 'begin immediate'), 'run');
      const single = spyOn(writer, 'run');
      await work();
      const begun = single.mock.calls.filter(([text]) => text === 'begin immediate');
      const count = grouped.mock.calls.length + begun.length;
      grouped.mockRestore();
      single.mockRestore();
      return count;
    };

    test('responses that end together are stored in one commit', async () => {
      const all = ids(40);
      expect(await commits(() => Promise.all(all.map((id, i) => keep(id, `${i}`))))).toBeLessThan(4);
      for (const i of [0, 20, 39]) expect(await read(all[i]!)).toEqual([`${i}`, `${i}!`]);
    });

    test('continuations are stored in one commit and extend the life of what they continue', async () => {
      const [first, ...others] = ids(20);
      await keep(first!, 'first');
      here.clock.advance(2 * 86_400_000);
      await Promise.all(others.map((id, i) => keep(id, `${i}`, {}, i % 2 ? { previousResponseId: first! } : {})));
      expect(await read(others[0]!)).toEqual(['0', '0!']);
      expect(await read(others[1]!)).toEqual(['first', 'first!', '1', '1!']);
      const rows = await open.db.selectFrom('kept_responses').select('touched_at').distinct().execute();
      expect(rows).toHaveLength(1);
    });

    test('a failed write leaves no trace and does not affect others of its group', async () => {
      const all = ids(9);
      const impossible = 4;
      const ends = await Promise.allSettled(
        all.map((id, i) => keep(id, `${i}`, i === impossible ? { status: null } : {})),
      );
      expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(all.map((_, i) => i !== impossible));
      for (const [i, id] of all.entries()) if (i !== impossible) expect(await read(id)).toEqual([`${i}`, `${i}!`]);
      const left = open.db.selectFrom('kept_items').select('ref').where('response_id', '=', all[impossible]!);
      expect(await left.execute()).toEqual([]);
    });

    test('a response stored twice in a group is kept once, in its first form', async () => {
      const [id, other] = ids(2);
      await Promise.all([keep(id!, 'once'), keep(other!, 'other'), keep(id!, 'twice')]);
      expect(await read(id!)).toEqual(['once', 'once!']);
      expect(await read(other!)).toEqual(['other', 'other!']);
    });

    test('large groups are split, and large responses are written alone', async () => {
      const all = ids(6);
      const text = (i: number) => `${i}`.repeat(i % 2 ? 10 : 700_000);
      await Promise.all(all.map((id, i) => keep(id, text(i))));
      for (const [i, id] of all.entries()) expect(await read(id)).toEqual([text(i), `${text(i)}!`]);
    });

    if (engine.name === 'sqlite')
      test('groups and conversations wait for a locked database file', async () => {
        const { writer } = sqliteOf(here.kept.deps.db);
        writer.run('pragma busy_timeout = 20');
        const { id: conversationId } = await here.kept.conversations.create(ada, { items: [], metadata: {} });
        const other = new Database((open.where as { path: string }).path);
        other.run('begin immediate');
        const all = ids(3);
        const named = (i: number): Before => (i === 1 ? { conversationId: String(conversationId) } : {});
        const kept = Promise.all(all.map((id, i) => keep(id, `${i}`, {}, named(i))));
        await Bun.sleep(300);
        other.run('rollback');
        other.close();
        await kept;
        writer.run('pragma busy_timeout = 5000');
        for (const [i, id] of all.entries()) expect(await read(id)).toEqual([`${i}`, `${i}!`]);
      });

    test('text with any characters is read back unchanged', async () => {
      const [id, other] = ids(2);
      const odd = 'a\0b \ud800 "\\u0000" \u2028 \u{1F600}';
      await Promise.all([keep(id!, odd, { model: 'odd \ud800 name', instructions: odd }), keep(other!, 'x')]);
      expect(await read(id!)).toEqual([odd, `${odd}!`]);
    });
  });
