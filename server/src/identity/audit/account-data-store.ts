import { sql } from 'kysely';
import { inBatches, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { AuditRow } from './tables.ts';

/** What the user did, and what was done to the account; from where somebody else did it is not the user's to know. */
export async function* auditOf(db: Db, userId: number): AsyncGenerator<object[]> {
  yield* pages<AuditRow>((after, limit) => entriesAfter(db, after, limit).where('actor_id', '=', userId).execute());
  const byOthers = pages<AuditRow>((after, limit) =>
    entriesAfter(db, after, limit)
      .where('target_type', '=', 'user')
      .where('target_id', '=', userId)
      .where((e) => e.or([e('actor_id', 'is', null), e('actor_id', '<>', userId)]))
      .execute(),
  );
  for await (const rows of byOthers) yield rows.map((row) => ({ ...row, ip: '', user_agent: '' }));
}

/** In the order of the indexes by actor and by target. */
const entriesAfter = (db: Db, after: AuditRow | null, limit: number) =>
  db
    .selectFrom('audit_log')
    .selectAll()
    .where('created_at', '>=', after?.created_at ?? 0)
    .where((e) => e.or([e('created_at', '>', after?.created_at ?? -1), e('id', '>', after?.id ?? 0)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);

/** Keys are called what the person called them; applications, which others know by their names, keep those. */
const ownThings = ['api_key', 'application'];

/** That something was done, by whom and when, stays; from where, and what the account said about the person, goes. */
export async function forgetInAudit(db: Db, userId: number): Promise<void> {
  const ofActor = sql<boolean>`actor_id = ${userId}`;
  const ofAccount = sql<boolean>`target_type = 'user' and target_id = ${userId}`;
  const hasState = sql<boolean>`(state_before is not null or state_after is not null)`;
  const types = sql.join(ownThings);
  const steps = [
    sql`update audit_log set ip = '', user_agent = '' where id in (select id from audit_log
      where ${ofActor} and (ip <> '' or user_agent <> '') limit `,
    sql`update audit_log set target_name = case when target_type = 'api_key' then '' else target_name end,
      state_before = null, state_after = null where id in (select id from audit_log
      where ${ofActor} and target_type in (${types})
        and (${hasState} or (target_type = 'api_key' and target_name <> '')) limit `,
    sql`update audit_log set state_before = null, state_after = null where id in (select id from audit_log
      where ${ofAccount} and ${hasState} limit `,
  ];
  for (const step of steps)
    await inBatches(async (most) => Number((await sql`${step}${most})`.execute(db)).numAffectedRows ?? 0));
}
