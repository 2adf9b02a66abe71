import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engines } from './engines.fixture.ts';
import { resealing, resealingWithin } from './reseal.ts';

/* Alone, because what is declared here as sealed counts for the whole process, and no other database has this table. */

interface SealedThings {
  room: number;
  name: string;
  sealed: string;
}

declare module './tables.ts' {
  interface Tables {
    sealed_things: SealedThings;
  }
}

/** More than one page; some without anything encrypted. */
const things: SealedThings[] = Array.from({ length: 50 }, (_, i) => ({
  ...{ room: i % 7, name: `thing ${i}`, sealed: i % 10 === 0 ? '' : `old ${i}` },
}));

test.each(engines)('everything encrypted is re-encrypted once, on $name', async (engine) => {
  const { db, drop } = await engine.open();
  await sql`create table sealed_things (room bigint, name text, sealed text, primary key (room, name))`.execute(db);
  await db.insertInto('sealed_things').values(things).execute();
  const reseal = resealing('sealed_things', ['room', 'name'], 'sealed');
  const anew = (sealed: string) => sealed.replace('old', 'new');
  expect(await reseal(db, anew)).toBe(45);
  expect(await reseal(db, anew)).toBe(0);
  const within = resealingWithin('sealed_things', ['room', 'name'], 'sealed');
  expect(await within(db, () => 'never')).toBe(0);
  const after = await db.selectFrom('sealed_things').selectAll().execute();
  const expected = things.map((thing) => ({ ...thing, sealed: anew(thing.sealed) }));
  expect(after.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
    expected.toSorted((a, b) => a.name.localeCompare(b.name)),
  );
  const sealed = `s1.k.${'A'.repeat(40)}`;
  await db
    .updateTable('sealed_things')
    .set({ sealed: `[${sealed},"${sealed}"]` })
    .where('name', '=', 'thing 7')
    .execute();
  expect(await within(db, () => 'anew')).toBe(1);
  const found = db.selectFrom('sealed_things').select('sealed').where('name', '=', 'thing 7');
  expect(await found.executeTakeFirst()).toEqual({ sealed: '[anew,"anew"]' });
  await drop();
});
