import { sql } from 'kysely';
import { inBatches, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { AuditRow } from './tables.ts';

/** What the user did, and what was done to the account; other actors' addresses are withheld. */
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

/** Named by the person; applications, which others know by name, keep theirs. */
const ownThings = ['api_key', 'passkey', 'own_key', 'application'];

/** Anonymises entries: act, actor and time stay; address and personal details are removed. */
export async function forgetInAudit(db: Db, userId: number): Promise<void> {
  const ofActor = sql<boolean>`actor_id = ${userId}`;
  const ofAccount = sql<boolean>`target_type = 'user' and target_id = ${userId}`;
  const hasOrigin = sql<boolean>`(ip <> '' or user_agent <> '')`;
  const hasState = sql<boolean>`(state_before is not null or state_after is not null)`;
  // Operators' servers are created by administrators; a server's owner is only recorded at its creation.
  const made = sql`action = 'mcp_server_created'`;
  const ownServers = sql`select target_id from audit_log
    where ${ofActor} and ${made} and state_after like ${`%"owner_id":${userId},%`}`;
  const ofOwnThing = sql<boolean>`(target_type in (${sql.join(ownThings)})
    or (target_type = 'mcp_server' and target_id in (${ownServers})))`;
  const steps = [
    sql`update audit_log set ip = '', user_agent = '' where id in (select id from audit_log
      where ${ofActor} and ${hasOrigin} limit `,
    // A failed login was most likely the person's own.
    sql`update audit_log set ip = '', user_agent = '' where id in (select id from audit_log
      where ${ofAccount} and actor_id is null and ${hasOrigin} limit `,
    sql`update audit_log set target_name = case when target_type = 'application' then target_name else '' end,
      state_before = null, state_after = null where id in (select id from audit_log
      where ${ofActor} and ${ofOwnThing} and (${hasState} or (target_type <> 'application' and target_name <> ''))
      order by case when ${made} then 1 else 0 end limit `,
    sql`update audit_log set state_before = null, state_after = null where id in (select id from audit_log
      where ${ofAccount} and ${hasState} limit `,
  ];
  for (const step of steps)
    await inBatches(async (most) => Number((await sql`${step}${most})`.execute(db)).numAffectedRows ?? 0));
}
