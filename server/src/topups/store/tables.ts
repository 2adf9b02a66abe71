import type { Generated, Selectable } from 'kysely';

interface CodesTable {
  id: Generated<number>;
  /** SHA-256 of the code without its dashes. */
  code_hash: string;
  /** The last four characters, to find a code in a list. */
  code_end: string;
  /** Quota per use. */
  quota: number;
  uses: number;
  used: Generated<number>;
  /** 1 valid, 2 withdrawn. */
  status: Generated<number>;
  note: string;
  made_by: number;
  /** Unix seconds; 0 for never. */
  expires_at: number;
  created_at: number;
}

interface RedemptionsTable {
  id: Generated<number>;
  code_id: number;
  user_id: number;
  quota: number;
  created_at: number;
}

interface TopUpsTable {
  id: Generated<number>;
  user_id: number;
  cents: number;
  quota: number;
  /** Stripe's ids of the checkout session and the payment; null until known. */
  session_id: string | null;
  payment_id: string | null;
  status: string;
  /** What has been credited to the balance so far. */
  credited: Generated<number>;
  /** To be taken back, but already spent. */
  owed: Generated<number>;
  /** Counts how often the state was fetched from Stripe: only the result of the latest fetch is written. */
  looked: Generated<number>;
  created_at: number;
  updated_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    redemption_codes: CodesTable;
    redemptions: RedemptionsTable;
    topups: TopUpsTable;
    payment_events: { id: string; type: string; created_at: number };
  }
}

export type CodeRow = Selectable<CodesTable>;
export type TopUpRow = Selectable<TopUpsTable>;
