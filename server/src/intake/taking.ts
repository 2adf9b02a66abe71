import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { TakenIn } from './store/taken-in.ts';

/** What came in, or would, in lines for people. */
export interface Outcome {
  channels: string[];
  models: string[];
  aliases: string[];
  users: string[];
  keys: string[];
  codes: string[];
  /** How many came in another time. */
  before: number;
  notes: string[];
}

/** One intake under way. */
export interface Taking {
  tx: Db;
  sealer: Sealer;
  now: number;
  taken: TakenIn;
  outcome: Outcome;
}
