import type { Generated, Selectable } from 'kysely';

interface CodesTable {
  id: Generated<number>;
  /** SHA-256 of the code without its dashes. */
  code_hash: string;
  /** The last four characters, by which whoever has the code finds it in a list. */
  code_end: string;
  /** What each use is worth. */
  quota: number;
  uses: number;
  used: Generated<number>;
  /** 1 good, 2 withdrawn. */
  status: Generated<number>;
  note: string;
  made_by: number;
  /** Unix seconds; 0 never. */
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
  /** Stripe's names of the checkout and of the payment; null until they are known. */
  session_id: string | null;
  payment_id: string | null;
  status: string;
  /** What the balance has of it so far. */
  credited: Generated<number>;
  /** What is to go back, and was spent already. */
  owed: Generated<number>;
  /** Counts who asked Stripe how it stands: what the last of them hears is written, and nothing older. */
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
