import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { CredentialDayTable } from './tables.ts';

export interface DayUse {
  requests: number;
  failures: number;
  tokens: number;
  /** In quota units. */
  spent: number;
}

export interface CredentialDay extends DayUse {
  credentialId: number;
  day: number;
}

const fromRow = (row: Selectable<CredentialDayTable>): CredentialDay => ({
  credentialId: row.credential_id,
  day: row.day,
  requests: row.requests,
  failures: row.failures,
  tokens: row.tokens,
  spent: row.spent,
});

/** Adds the counts of one process and returns those of all processes. */
export async function addToDay(db: Db, news: CredentialDay): Promise<CredentialDay> {
  const table = 'routing_credential_days' as const;
  const row = await db
    .insertInto(table)
    .values({
      credential_id: news.credentialId,
      day: news.day,
      requests: news.requests,
      failures: news.failures,
      tokens: news.tokens,
      spent: news.spent,
    })
    .onConflict((oc) =>
      oc.columns(['credential_id', 'day']).doUpdateSet((e) => ({
        requests: e(e.ref(`${table}.requests`), '+', e.ref('excluded.requests')),
        failures: e(e.ref(`${table}.failures`), '+', e.ref('excluded.failures')),
        tokens: e(e.ref(`${table}.tokens`), '+', e.ref('excluded.tokens')),
        spent: e(e.ref(`${table}.spent`), '+', e.ref('excluded.spent')),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromRow(row);
}

export async function readDay(db: Db, day: number): Promise<CredentialDay[]> {
  return (await db.selectFrom('routing_credential_days').selectAll().where('day', '=', day).execute()).map(fromRow);
}

export async function sweepDays(db: Db, before: number): Promise<void> {
  await db.deleteFrom('routing_credential_days').where('day', '<', before).execute();
}
