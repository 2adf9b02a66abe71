import type { BlobKeeper } from '../platform/blobs/sweep.ts';
import type { Db } from '../platform/db/tables.ts';

const prefix = 'files/';

/** Files of users, parts of uploads, and inputs and results of batches that are no files any more. */
export const fileKeeper = (db: Db): BlobKeeper => ({
  prefix,
  async needed(keys) {
    const ids = keys.map((key) => key.slice(prefix.length));
    // In the order in which a row takes over from the one before.
    const files = await db.selectFrom('files').select('blob').where('id', 'in', ids).execute();
    const parts = await db.selectFrom('upload_parts').select('blob').where('id', 'in', ids).execute();
    const inputs = await db
      .selectFrom('batches')
      .select('input_blob as blob')
      .where('input_blob', 'in', keys)
      .execute();
    const results = await db
      .selectFrom('batches')
      .select('results_blob as blob')
      .where('results_blob', 'in', keys)
      .execute();
    return new Set([...files, ...parts, ...inputs, ...results].flatMap(({ blob }) => (blob === null ? [] : [blob])));
  },
});
