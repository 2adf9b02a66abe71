import { z } from 'zod';
import { csvLine } from '../../lib/csv.ts';
import { asCsv, listed, management } from '../../platform/http/answers.ts';
import { csvAnswer } from '../../platform/http/csv-answer.ts';
import { cursorField, cursorOf, nextCursor } from '../../platform/http/cursor.ts';
import { idText, pageFields } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { AccountDeps } from '../accounts.ts';
import { newestAudit, pageAudit } from '../audit/read.ts';
import { accountsIn } from '../audit/read-store.ts';
import { type AuditView, auditEntrySchema, viewAudit } from '../audit/view.ts';

const mostCsvRows = 10_000;

/** The whole log: sign-ins, acts of administrators, and all changes of permissions. */
export const auditRoute = ({ db, audit }: Pick<AccountDeps, 'db' | 'audit'>): Route =>
  defineRoute({
    method: 'get',
    path: '/api/admin/audit',
    summary: 'List the audit log of all users, newest first; format=csv exports at most 10,000 entries',
    tag: 'Administration',
    ...management,
    auth: 'admin',
    query: z.strictObject({
      ...pageFields,
      cursor: cursorField(2),
      actor: z.string().max(200).optional().meta({ description: 'An id, or part of a name' }),
      action: z.string().max(64).optional(),
      target: z.string().max(200).optional().meta({ description: 'An id, or part of a name' }),
      user_id: idText.optional().meta({ description: 'Actions by this user and actions on the account' }),
      from: idText.optional(),
      to: idText.optional(),
      format: z.enum(['json', 'csv']).optional(),
    }),
    answers: { 200: [listed({ logs: z.array(auditEntrySchema), ...nextCursor }), asCsv] },
    handle: async (call) => {
      const { page, page_size, cursor, format, actor, target, action, user_id, from, to } = call.query;
      const narrowed = { actions: action ? [action] : undefined, aboutUser: user_id, from, to };
      const filter = { ...narrowed, actorText: actor, targetText: target };
      // Includes what this process has not written yet.
      await audit.flush();
      if (format === 'csv') return csvAnswer(call, 'audit.csv', csvText());
      const { rows, total, next } = await pageAudit(db, filter, { page, page_size }, cursor);
      const names = await accountsIn(db, rows);
      const next_cursor = next && cursorOf(next);
      return ok(call, { logs: rows.map((row) => viewAudit(row, names)), next_cursor, total, page, page_size });

      async function* csvText(): AsyncGenerator<string> {
        yield csvLine(csvColumns);
        for await (const batch of newestAudit(db, filter, mostCsvRows)) {
          const names = await accountsIn(db, batch);
          yield batch.map((row) => csvLine(cellsOf(viewAudit(row, names)))).join('');
        }
      }
    },
  });

const csvColumns = [
  'id',
  'at',
  'actor_id',
  'actor',
  'action',
  'target_type',
  'target_id',
  'target',
  'before',
  'after',
  'metadata',
  'ip',
  'user_agent',
];

const cellsOf = (entry: AuditView) => [
  entry.id,
  entry.at,
  entry.actor.id,
  entry.actor.name,
  entry.action,
  entry.target.type,
  entry.target.id,
  entry.target.name,
  entry.before && JSON.stringify(entry.before),
  entry.after && JSON.stringify(entry.after),
  JSON.stringify(entry.metadata),
  entry.ip,
  entry.user_agent,
];
