import { type PersonalData, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  redemptions: pages<{ id: number }>((after, limit) =>
    db
      .selectFrom('redemptions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '>', after?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
  topups: pages<{ id: number }>((after, limit) =>
    db
      .selectFrom('topups')
      .select(['id', 'cents', 'quota', 'status', 'credited', 'session_id', 'payment_id', 'created_at', 'updated_at'])
      .where('user_id', '=', userId)
      .where('id', '>', after?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
});
