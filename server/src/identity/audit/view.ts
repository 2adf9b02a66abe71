import { z } from 'zod';
import type { AuditRow } from './tables.ts';

const fields = z.record(z.string(), z.unknown());

export const auditEntrySchema = z
  .object({
    id: z.number().int(),
    at: z.number().int(),
    actor: z.object({ id: z.number().int().nullable(), name: z.string() }),
    action: z.string(),
    target: z.object({ type: z.string(), id: z.union([z.number().int(), z.string()]).nullable(), name: z.string() }),
    before: fields.nullable(),
    after: fields.nullable(),
    metadata: fields,
    ip: z.string(),
    user_agent: z.string(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditView = z.infer<typeof auditEntrySchema>;

const parsed = (text: string | null) => (text === null ? null : JSON.parse(text));

/** `names` are those of users; other targets keep their name at that time. */
export function viewAudit(row: AuditRow, names: Map<number, string>): AuditView {
  const target =
    row.target_type === 'user'
      ? { id: row.target_id, name: names.get(row.target_id ?? 0) ?? '' }
      : { id: row.target_id ?? (row.target_name || null), name: row.target_name };
  return {
    id: row.id,
    at: row.created_at,
    actor: { id: row.actor_id, name: row.actor_name || (names.get(row.actor_id ?? 0) ?? '') },
    action: row.action,
    target: { type: row.target_type, ...target },
    before: parsed(row.state_before),
    after: parsed(row.state_after),
    metadata: parsed(row.metadata),
    ip: row.ip,
    user_agent: row.user_agent,
  };
}
