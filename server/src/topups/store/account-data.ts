import { type PersonalData, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  redemptions: rowsOf(db, 'redemptions', { of: { user_id: userId } }),
  topups: rowsOf(db, 'topups', {
    of: { user_id: userId },
    columns: ['id', 'cents', 'quota', 'status', 'credited', 'session_id', 'payment_id', 'created_at', 'updated_at'],
  }),
});
