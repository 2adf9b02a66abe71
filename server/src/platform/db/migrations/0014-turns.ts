import type { Migration } from '../migration.ts';

/** Partial index: ordinary requests have no parent and pay nothing for it. */
const whereGiven = 'where parent_request_id is not null';

/** The decision log's part, which is tested without the other tables. */
export const decisions: Migration = {
  name: '0014-decisions-of-turns',
  statements: () => [
    'alter table routing_decisions add column parent_request_id text',
    `create index routing_decisions_parent on routing_decisions (parent_request_id, id) ${whereGiven}`,
  ],
};

/** Finds calls by the turn or run that made them, and adds the tokens of its calls to a session. */
export const migration: Migration = {
  name: '0014-turns',
  statements: (words) => [
    'alter table usage_logs add column parent_request_id text',
    `create index usage_logs_parent on usage_logs (parent_request_id, created_at, id) ${whereGiven}`,
    ...decisions.statements(words),
    `alter table ms_sessions add column tokens_used ${words.int} not null default 0`,
    // For existing sessions the length of their messages is the best estimate.
    'update ms_sessions set tokens_used = total_tokens',
  ],
};
