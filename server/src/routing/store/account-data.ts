import { deletingOf } from '../../platform/db/delete-rows.ts';
import { inBatches, onePage, type PersonalData, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type DecisionRow, withChoices } from './decisions.ts';
import { listOwnKeys } from './own-keys.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  preferences: onePage(() => db.selectFrom('routing_preferences').selectAll().where('user_id', '=', userId).execute()),
  own_keys: onePage(async () =>
    (await listOwnKeys(db, { userId })).map(({ sealed: _, owner: __, ...key }) => ({ ...key, userId })),
  ),
  decisions: pages<DecisionRow>(async (after, limit) => {
    const rows = await db
      .selectFrom('routing_decisions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '>', after?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute();
    return withChoices(db, rows);
  }),
});

export async function forget(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('routing_preferences').where('user_id', '=', userId).execute();
  await db.deleteFrom('routing_own_keys').where('user_id', '=', userId).execute();
  await inBatches((most) => deleteDecisions(db, userId, most));
}

const deleteDecisions = deletingOf('routing_decisions', 'id', 'user_id');
