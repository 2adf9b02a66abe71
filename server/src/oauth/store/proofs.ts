import { deletingPast } from '../../platform/db/delete-rows.ts';
import { all, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';

interface ProofsTable {
  proof_hash: string;
  expires_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    oauth_proofs: ProofsTable;
  }
}

const add = statement(
  'insert into oauth_proofs (proof_hash, expires_at) values ($1, $2) on conflict (proof_hash) do nothing returning proof_hash',
);

/** Whether it is seen for the first time; true for one of several concurrent callers. */
export const takeProof = async (db: Db, hash: string, expiresAt: number): Promise<boolean> =>
  (await all(db, add, [hash, expiresAt])).length === 1;

export const deleteOldProofs = deletingPast('oauth_proofs', 'proof_hash', 'expires_at');
