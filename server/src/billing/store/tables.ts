import type { Generated, Selectable } from 'kysely';
import type { AllotmentId, HoldRow, KeptRow, UsageRow } from './port.ts';
import type { SpanSums } from './span-sums.ts';

export interface LedgerRow {
  id: number;
  user_id: number;
  /** `usage` for charges, `grant` for what an administrator gave or took. */
  kind: string;
  amount: number;
  balance_after: number;
  request_id: string;
  key_id: number;
  model_id: string;
  shortfall: number;
  note: string;
  /** The administrator of a grant, else 0. */
  actor_id: number;
  created_at: number;
}

/** What an administrator gave or took. */
interface CreditTable {
  id: Generated<number>;
  user_id: number;
  amount: number;
  balance_after: number;
  note: string;
  actor_id: number;
  /** Id of the last charge before it, so that the two can be put in order. */
  place: number;
  /** Unique where it is given. */
  idempotency_id: number | null;
  created_at: number;
}
export type CreditRow = Selectable<CreditTable>;

/** A request that nobody answered; what the upstream said is null when none was asked. */
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

/** Over all users. */
type Totals = Omit<DaySums, 'user_id' | 'key_id'>;

/** Of one span of time; user 0 stands for all. */
interface SpanRow extends SpanSums {
  user_id: number;
  /** Unix seconds. */
  starts_at: number;
  /** Seconds. */
  length: number;
  /** Empty for failures of a model that may not exist. */
  model_id: string;
  /** 0 where none was asked. */
  channel_id: number;
}

interface WindowColumns {
  budget_id: number;
  starts_at: number;
  /** 0 for one without end. */
  ends_at: number;
  used: Generated<number>;
  /** The largest share of the budget, in thousandths, that was told. */
  warned: Generated<number>;
}

/** Columns that came later than the log. */
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
    /** What is left and was used of a budget in one of its windows, less what processes keep of it. */
    budget_windows: WindowColumns & { id: Generated<number>; remain: number };
    /** With what processes have charged to it. */
    budget_windows_now: WindowColumns & { id: number };
    /** The last batch that a process wrote. */
    billing_writers: { owner: string; batch: number };
    /** Allotments, under the name that processes of earlier versions know. */
    billing_purses: AllotmentId & {
      owner: string;
      kept: number;
      /** Not in the user's row yet, nor in the key's or the window's. */
      used: number;
      requests: number;
      /** 1 when another process is short of it. */
      wanted: Generated<number>;
    };
    credits: CreditTable;
    failed_requests: FailureTable;
    kept_answers: KeptRow;
    usage_logs: Omit<UsageRow, Later> & { [C in Later]: Generated<UsageRow[C]> } & { id: Generated<number> };
    usage_days: DaySums;
    /** Of processes that live. */
    usage_days_open: DaySums & { owner: string };
    usage_days_all: DaySums;
    usage_totals: Totals;
    /** What no process has filed yet included. */
    usage_totals_all: Totals;
    usage_spans: SpanRow;
    /** What no process has filed yet included; on SQLite after `fileSpans`. */
    usage_spans_all: SpanRow;
    /** One row: the day from which on totals are whole. */
    usage_totals_whole: { first_day: number };
    /** One row: the day from which on the log has entries, and not only sums. */
    usage_kept: { first_day: number };
  }
}
