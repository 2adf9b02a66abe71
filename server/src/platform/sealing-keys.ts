import type { SealingKey } from '../lib/seal.ts';
import { isAnySealedWith } from './db/reseal.ts';
import type { Db } from './db/tables.ts';
import { inTurn } from './db/with-lock.ts';
import { encryptionKeys, ensureKey, keyFile } from './encryption-key.ts';
import { StartFault } from './start-fault.ts';

interface SealingKeysTable {
  /** See `keyEntry`. */
  id: string;
  used_from: number;
}

declare module './db/tables.ts' {
  interface Tables {
    sealing_keys: SealingKeysTable;
  }
}

interface KeyConfig {
  dataDir: string;
  encryptionKey?: string;
  encryptionKeyOld?: string;
  withoutLostKeys?: boolean;
}

/** A key's id is a prefix of its hash, so that sealed text tells which key opens it. */
export const keyEntry = (key: Uint8Array): SealingKey => ({
  id: new Bun.CryptoHasher('sha256').update(key).digest('hex').slice(0, 8),
  key,
});

/** The first seals, all can open; nothing is generated. */
export function knownSealingKeys(config: KeyConfig): SealingKey[] {
  const keys = encryptionKeys(config.encryptionKey, config.dataDir);
  if (config.encryptionKeyOld) keys.push(Buffer.from(config.encryptionKeyOld, 'hex'));
  const entries = keys.map(keyEntry);
  return entries.filter(({ id }, at) => entries.findIndex((other) => other.id === id) === at);
}

/**
 * The same, with one generated if there is none yet. Refuses if stored secrets need a key that is not here: what cannot
 * be opened is taken for gone, and renewed, overwritten or dropped.
 */
export async function openSealingKeys(db: Db, config: KeyConfig): Promise<SealingKey[]> {
  // Processes that start together on an empty database agree on the key of one of them.
  return inTurn(db, 'sealingKeys', 0, async (tx) => {
    if (!config.withoutLostKeys) {
      const missing = await missingKeys(tx, config);
      if (missing) throw new StartFault(missing);
    }
    if (!config.encryptionKey) ensureKey(config.dataDir);
    const known = knownSealingKeys(config);
    await noteKey(tx, known[0]!.id);
    return known;
  });
}

/** Says which key stored secrets need that is not configured; null if none. A key that sealed nothing is not needed. */
export async function missingKeys(db: Db, config: KeyConfig): Promise<string | null> {
  const used = await db.selectFrom('sealing_keys').select('id').orderBy('used_from', 'desc').execute();
  const known = knownSealingKeys(config);
  for (const { id } of used)
    if (!known.some((key) => key.id === id) && (await isAnySealedWith(db, id)))
      return `${whatToDo(config, id)} ${ifLost}`;
  return null;
}

const ifLost =
  'If that key is lost, run: svc rotate-encryption-key --lost; what was encrypted with it (credentials of channels, authenticator apps, webhook secrets …) must then be entered again.';

function whatToDo({ dataDir, encryptionKey }: KeyConfig, id: string): string {
  const file = keyFile(dataDir);
  const inFile = encryptionKeys(undefined, dataDir).map(keyEntry);
  if (encryptionKey && inFile.some((key) => key.id === id))
    return `Stored secrets are encrypted with the key in ${file}, and ENCRYPTION_KEY is another one. Unset ENCRYPTION_KEY; or, to change the key, set ENCRYPTION_KEY_OLD to the content of that file and run: svc rotate-encryption-key.`;
  if (encryptionKey)
    return 'Stored secrets are encrypted with another key than ENCRYPTION_KEY. Set it to the former key, on every instance the same; or, to change the key, set ENCRYPTION_KEY_OLD to the former one.';
  const found = inFile.length > 0 ? `not the one in ${file}` : `and ${file} is missing`;
  return `Stored secrets are encrypted with a key that is not here: ENCRYPTION_KEY is not set, ${found}. Put the file back, from the former machine or a backup, or set ENCRYPTION_KEY to the former key, on every instance the same.`;
}

const noteKey = (db: Db, id: string) =>
  db
    .insertInto('sealing_keys')
    .values({ id, used_from: Math.floor(Date.now() / 1000) })
    .onConflict((c) => c.doNothing())
    .execute();

/** After a rotation: nothing that can be opened is sealed with another key any more. */
export async function keepOnlyKey(db: Db, id: string): Promise<void> {
  await noteKey(db, id);
  await db.deleteFrom('sealing_keys').where('id', '<>', id).execute();
}
