import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engines } from './engines.fixture.ts';
import { arrayText, integersText } from './postgres-array.ts';

const postgres = engines.find(({ name }) => name === 'postgres');

test.skipIf(!postgres)('PostgreSQL reads every value back as it was', async () => {
  const open = await postgres!.open();
  const texts = ['plain', '', 'NULL', null, '{a,b}', 'a "quoted" \\ word', 'two\nlines', ' spaces ', 'ü€🙂'];
  const integers = [0, -1, 2 ** 53 - 1];
  const decimals = [0, 1.5, 1e-7, 1e21, null];
  const { rows } = await sql<Record<string, string>>`select to_json(${arrayText(texts)}::text[])::text as texts,
    to_json(${integersText(integers)}::bigint[])::text as integers,
    to_json(${arrayText(decimals)}::double precision[])::text as decimals,
    to_json(${arrayText([])}::text[])::text as none, to_json(${integersText([])}::bigint[])::text as nothing`.execute(
    open.db,
  );
  await open.drop();
  const { texts: readTexts, integers: readIntegers, decimals: readDecimals, none, nothing } = rows[0]!;
  expect([readTexts, readIntegers, readDecimals, none, nothing].map((text) => JSON.parse(text!))).toEqual([
    texts,
    integers,
    decimals,
    [],
    [],
  ]);
});
