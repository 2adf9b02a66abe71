import { expect, test } from 'bun:test';
import { openMemoryDb } from '../store/db.fixture.ts';
import { newVectorIndex } from './vector-index.ts';
import { signBits, toBlob, toUnit } from './vectors.ts';

/** In PostgreSQL a transaction that began earlier may end later, when others have taken hundreds of ids. */
test('a vector that becomes visible late is found, however many others have had later ids meanwhile', async () => {
  const { db, close } = await openMemoryDb();
  const add = async (id: number, vector: number[]) => {
    const document = { id, user_id: 1, project_id: null, session_ref: null, message_id: null, before_id: null };
    await db
      .insertInto('ms_documents')
      .values({ ...document, knowledge_ref: null, terms_version: 1 } as never)
      .execute();
    const row = { id, document_id: id, user_id: 1, model: 'm', bits: signBits(vector), vector: toBlob(toUnit(vector)) };
    await db
      .insertInto('ms_vectors')
      .values(row as never)
      .execute();
  };
  const query = Float32Array.from([1, 1, -1, -1]);
  const index = newVectorIndex();
  for (let id = 1; id <= 300; id += 1) await add(id, [-1, -1, 1, 1]);
  await add(5000, [-1, -1, 1, 1]);
  expect(await index.near(db, 1, 'm', query, 400)).toHaveLength(301);
  await add(4000, [1, 1, -1, -1]);
  expect((await index.near(db, 1, 'm', query, 1))[0]).toBe(4000);
  await add(5001, [-1, 1, 1, 1]);
  expect(await index.near(db, 1, 'm', query, 400)).toHaveLength(303);
  await close();
});

test('thousands of vectors of another length under the same name are read once', async () => {
  const { db, close } = await openMemoryDb();
  const rows = Array.from({ length: 2500 }, (_, i) => ({
    id: i + 1,
    vector: i < 2400 ? Array(64).fill(1) : [1, 1, -1, -1],
  }));
  for (const { id, vector } of rows) {
    const document = { id, user_id: 1, project_id: null, session_ref: null, message_id: null, before_id: null };
    await db
      .insertInto('ms_documents')
      .values({ ...document, knowledge_ref: null, terms_version: 1 } as never)
      .execute();
    const row = { id, document_id: id, user_id: 1, model: 'm', bits: signBits(vector), vector: toBlob(toUnit(vector)) };
    await db
      .insertInto('ms_vectors')
      .values(row as never)
      .execute();
  }
  expect(await newVectorIndex().near(db, 1, 'm', Float32Array.from([1, 1, -1, -1]), 400)).toHaveLength(100);
  await close();
});
