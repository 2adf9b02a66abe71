import type { Db } from '../../platform/db/tables.ts';
import { spans } from './read.ts';

/** What the user did, and what was done to the account; from where somebody else did it is not the user's to know. */
export async function* auditOf(db: Db, userId: number): AsyncGenerator<object[]> {
  for await (const { above, upTo } of spans(db)) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>', above)
      .where('id', '<=', upTo)
      .where((e) =>
        e.or([e('actor_id', '=', userId), e.and([e('target_type', '=', 'user'), e('target_id', '=', userId)])]),
      )
      .execute();
    yield rows.map((row) => (row.actor_id === userId ? row : { ...row, ip: '', user_agent: '' }));
  }
}

/** Keys are called what the person called them; applications, which others know by their names, keep those. */
const ownThings = ['api_key', 'application'];

/** That something was done, by whom and when, stays; from where, and what the account said about the person, goes. */
export async function forgetInAudit(db: Db, userId: number): Promise<void> {
  for await (const { above, upTo } of spans(db)) {
    const within = () => db.updateTable('audit_log').where('id', '>', above).where('id', '<=', upTo);
    await within()
      .set({ ip: '', user_agent: '' })
      .where('actor_id', '=', userId)
      .where((e) => e.or([e('ip', '<>', ''), e('user_agent', '<>', '')]))
      .execute();
    await within()
      .set((e) => ({
        target_name: e.case().when('target_type', '=', 'api_key').then('').else(e.ref('target_name')).end(),
        state_before: null,
        state_after: null,
      }))
      .where('actor_id', '=', userId)
      .where('target_type', 'in', ownThings)
      .execute();
    await within()
      .set({ state_before: null, state_after: null })
      .where('target_type', '=', 'user')
      .where('target_id', '=', userId)
      .execute();
  }
}
