import { csvLine } from '../lib/csv.ts';
import type { Db } from '../platform/db/tables.ts';
import { listCodes } from './store/codes.ts';
import { type CodeView, codeSchema, viewCode } from './views.ts';

const pageRows = 500;
const columns = Object.keys(codeSchema.shape) as (keyof CodeView)[];

/** All codes, newest first, read page by page as the client consumes them. */
export async function* codesCsv(db: Db): AsyncGenerator<string> {
  yield csvLine(columns);
  for (let before: number | undefined; ; ) {
    const rows = await listCodes(db, { limit: pageRows, before });
    yield rows.map((row) => csvLine(columns.map((name) => viewCode(row)[name]))).join('');
    if (rows.length < pageRows) return;
    before = rows.at(-1)!.id;
  }
}
