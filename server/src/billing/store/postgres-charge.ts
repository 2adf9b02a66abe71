import { CompiledQuery } from 'kysely';
import { arrayText, integersText } from '../../platform/db/postgres-array.ts';
import { execute } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { AllotmentChange, ChargeBatch, Turn } from './port.ts';
import { packEntries } from './usage-entries.ts';

const changeNames = ['user_id', 'key_id', 'paid', 'used', 'requests'] as const;
const keptFields = 'work text, call text, request_id text, user_id bigint, created_at bigint, body text';
const keptNames = 'work, call, request_id, user_id, created_at, body';

/** Built once for each combination of parts. */
const statements = new Map<string, CompiledQuery>();

/**
 * Appends two rows, whatever the number of charges: rows of users, allotments and days would each cost as much as a log
 * entry, and more if several processes write. They are added up later: the entries by `fileJournal`, the changes by
 * `addUpChanges`.
 */
export async function chargeBatch(db: Db, turn: Turn, { logs, allotments, ended, kept }: ChargeBatch): Promise<true> {
  const parts: Parts = {
    entries: logs.length > 0,
    changes: allotments.length > 0,
    ended: ended.length > 0,
    kept: kept !== undefined,
  };
  const name = Object.values(parts).join();
  let statement = statements.get(name);
  if (!statement) {
    statement = CompiledQuery.raw(chargeText(parts));
    statements.set(name, statement);
  }
  const parameters: unknown[] = [turn.batch, turn.owner, turn.after];
  if (parts.entries) parameters.push(packEntries(logs), ...paidByUsers(allotments));
  if (parts.changes)
    for (const field of changeNames) parameters.push(integersText(allotments.map((change) => change[field])));
  if (parts.ended) parameters.push(arrayText(ended));
  if (parts.kept) parameters.push(JSON.stringify(kept));
  await execute(db, statement, parameters);
  return true;
}

function paidByUsers(allotments: readonly AllotmentChange[]): [string, string] {
  const users = allotments.filter(({ key_id, paid }) => key_id === 0 && paid !== 0);
  return [integersText(users.map(({ user_id }) => user_id)), integersText(users.map(({ paid }) => paid))];
}

type Parts = Record<'entries' | 'changes' | 'ended' | 'kept', boolean>;

/** `$1` is the batch, `$2` the owner, `$3` the batch before. */
function chargeText(given: Parts): string {
  let last = 3;
  const next = () => {
    last += 1;
    return `$${last}`;
  };
  const parts: string[] = [];
  if (given.entries)
    parts.push(`entries as (insert into usage_journal (entries, user_ids, paid)
      values (${next()}, ${next()}::bigint[], ${next()}::bigint[]))`);
  if (given.changes)
    parts.push(`changes as (insert into billing_changes (owner, batch, user_ids, key_ids, paid, used, requests)
      values ($2, $1::bigint, ${changeNames.map(() => `${next()}::bigint[]`).join(', ')}))`);
  if (given.ended) parts.push(`gone as (delete from billing_holds where request_id = any(${next()}::text[]))`);
  if (given.kept)
    parts.push(`answers as (insert into kept_answers (${keptNames}) select ${keptNames}
      from json_to_recordset((${next()}::text)::json) as rows(${keptFields}) on conflict (work, call) do nothing)`);
  const turn = `update billing_writers set batch = $1::bigint where owner = $2 and batch = $3::bigint returning 1`;
  return `with ${[`turn as (${turn})`, ...parts].join(', ')} select 1 / (select count(*) from turn)`;
}
