import { type PersonalData, rowsOf } from '../../../platform/db/pages.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { restoreDefaults } from '../response-defaults.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  responses: (async function* () {
    const rows = rowsOf(db, 'kept_responses', {
      of: { user_id: userId },
      columns: [
        ...(['id', 'key_id', 'status', 'model', 'background', 'previous_id', 'conversation_id', 'response'] as const),
        ...(['contents', 'request', 'created_at', 'touched_at', 'ended_at'] as const),
      ],
    });
    for await (const page of rows)
      yield page.map((row) => ({ ...row, response: JSON.stringify(restoreDefaults(row.response)) }));
  })(),
  // In the order of the index on an owner's items.
  items: rowsOf(db, 'kept_items', { of: { user_id: userId }, by: ['key_id', 'item_id', 'ref'] }),
  conversations: rowsOf(db, 'kept_conversations', {
    of: { user_id: userId },
    columns: ['id', 'key_id', 'metadata', 'created_at', 'touched_at'],
  }),
});
