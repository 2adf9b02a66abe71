import type { Generated, Selectable } from 'kysely';
import type { AllotmentId, HoldRow, KeptRow, UsageRow } from './port.ts';
import type { SpanSums } from './span-sums.ts';

export interface LedgerRow {
  id: number;
  user_id: number;
  /** `usage` for charges, `grant` for credits given or taken by an administrator. */
  kind: 'usage' | 'grant';
  amount: number;
  balance_after: number;
  request_id: string;
  key_id: number;
  model_id: string;
  shortfall: number;
  note: string;
  /** The administrator who made the grant, else 0. */
  actor_id: number;
  created_at: number;
}

/** Credits given or taken by an administrator. */
interface CreditTable {
  id: Generated<number>;
  user_id: number;
  amount: number;
  balance_after: number;
  note: string;
  actor_id: number;
  /** Id of the last charge before it, to merge the two lists in order. */
  place: number;
  /** Unique if present. */
  idempotency_id: number | null;
  created_at: number;
}
export type CreditRow = Selectable<CreditTable>;

/** A failed request; the upstream's error is null if none was called. */
export interface FailureTable {
  id: Generated<number>;
  request_id: string;
  user_id: number;
  /** 0 for none. */
  key_id: number;
  model_id: string;
  endpoint: string;
  status: number;
  code: string;
  message: string;
  provider: string | null;
  channel_id: number | null;
  upstream_status: number | null;
  upstream_message: string | null;
  duration_ms: number;
  parent_request_id: string | null;
  created_at: number;
}

interface DaySums {
  user_id: number;
  /** Days since 1970, UTC. */
  day: number;
  model_id: string;
  key_id: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}

/** Sums over all users. */
type Totals = Omit<DaySums, 'user_id' | 'key_id'>;

/** Sums of one span of time; user 0 stands for all users. */
interface SpanRow extends SpanSums {
  user_id: number;
  /** Unix seconds. */
  starts_at: number;
  /** Seconds. */
  length: number;
  /** Empty for failures, whose model may not exist. */
  model_id: string;
  /** 0 if no channel was called. */
  channel_id: number;
}

interface WindowColumns {
  budget_id: number;
  starts_at: number;
  /** 0 if it never ends. */
  ends_at: number;
  used: Generated<number>;
  /** The highest threshold, in thousandths of the budget, for which a warning was sent. */
  warned: Generated<number>;
}

/** Columns added after the table was created. */
type Later =
  | 'cache_write_1h_tokens'
  | 'audio_in_tokens'
  | 'image_in_tokens'
  | 'audio_out_tokens'
  | 'web_searches'
  | 'estimated'
  | 'cost_parts'
  | 'parent_request_id'
  | 'own_key'
  | 'saved_quota';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    billing_holds: Omit<HoldRow, 'levels'> & { levels: Generated<string> } & {
      progress: Generated<number>;
      progress_usage: Generated<string>;
    };
    /** What is left and used of a budget in one of its windows, without what processes have reserved. */
    budget_windows: WindowColumns & { id: Generated<number>; remain: number };
    /** Including what processes have charged. */
    budget_windows_now: WindowColumns & { id: number };
    /** The last batch written by each process. */
    billing_writers: { owner: string; batch: number };
    /** Allotments. The table keeps the name that processes of earlier versions use. */
    billing_purses: AllotmentId & {
      owner: string;
      kept: number;
      /** Not yet added to the row of the user, key or window. */
      used: number;
      requests: number;
      /** 1 if another process is short of it. */
      wanted: Generated<number>;
    };
    /** Allotments as they are now, with what is not added to their rows yet. */
    billing_allotments: AllotmentId & { owner: string; kept: number; used: number; requests: number };
    /** PostgreSQL: what batches of charges changed in the allotments of their process, not yet added to those. */
    billing_changes: { owner: string; batch: number };
    credits: CreditTable;
    failed_requests: FailureTable;
    kept_answers: KeptRow;
    usage_logs: Omit<UsageRow, Later> & { [C in Later]: Generated<UsageRow[C]> } & { id: Generated<number> };
    /** PostgreSQL: entries that are not in the log yet. */
    usage_journal: { id: Generated<number>; entries: string };
    usage_days: DaySums;
    /** Sums that processes of the previous release have not merged yet. */
    usage_days_open: DaySums & { owner: string };
    usage_days_all: DaySums;
    usage_totals: Totals;
    /** Includes what processes have not filed yet. */
    usage_totals_all: Totals;
    usage_spans: SpanRow;
    /** Includes what processes have not filed yet; on SQLite after `fileSpans`. */
    usage_spans_all: SpanRow;
    /** One row: the day from which totals are complete. */
    usage_totals_whole: { first_day: number };
    /** One row: the day from which the log has entries; before it there are only sums. */
    usage_kept: { first_day: number };
  }
}
