import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Imported } from './store/imported.ts';

/** The result of an import or preview, in lines for people. */
export interface Outcome {
  channels: string[];
  models: string[];
  aliases: string[];
  users: string[];
  keys: string[];
  codes: string[];
  /** How many were imported earlier. */
  before: number;
  notes: string[];
}

/** One import in progress. */
export interface ImportRun {
  tx: Db;
  sealer: Sealer;
  now: number;
  taken: Imported;
  outcome: Outcome;
}
