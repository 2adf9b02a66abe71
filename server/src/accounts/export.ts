import { nowSeconds } from '../lib/clock.ts';
import type { PersonalData } from '../platform/db/pages.ts';
import type { AccountDataDeps } from './deps.ts';

/** One JSON document, streamed: a heavy user's history does not fit into memory. */
export async function* exportText(deps: AccountDataDeps, userId: number): AsyncGenerator<string> {
  yield `{"exported_at":${nowSeconds(deps.accounts.clock)},"user_id":${userId}`;
  for (const [name, room] of Object.entries(deps.rooms)) {
    yield `,\n${JSON.stringify(name)}:{`;
    yield* partsText(room.exportOf(userId));
    yield '}';
  }
  yield '}\n';
}

async function* partsText(parts: PersonalData): AsyncGenerator<string> {
  let first = true;
  for (const [name, rows] of Object.entries(parts)) {
    yield `${first ? '' : ','}\n${JSON.stringify(name)}:[`;
    first = false;
    let begun = false;
    for await (const page of rows) {
      if (page.length === 0) continue;
      yield (begun ? ',\n' : '\n') + page.map((row) => JSON.stringify(row)).join(',\n');
      begun = true;
    }
    yield ']';
  }
}
