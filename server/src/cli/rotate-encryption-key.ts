import { nowhere, rowOf } from '../identity/audit/log.ts';
import { insertAudit } from '../identity/audit/store.ts';
import { nowSeconds } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { adoptNewKey, writeNewKey } from '../platform/encryption-key.ts';
import { keyEntry } from '../platform/open.ts';
import { type CommandCall, withPlatform } from './command.ts';
import { resealAll } from './reseal-all.ts';

/**
 * With a key file, a new key is generated; with ENCRYPTION_KEY, that is the new key and ENCRYPTION_KEY_OLD the old one.
 * The new key is on disk before anything is sealed with it, and both can open until the end, so a crash in between
 * loses nothing.
 */
export async function rotateEncryptionKey({ config, print }: CommandCall): Promise<number> {
  if (config.encryptionKey && !config.encryptionKeyOld) {
    print('Set ENCRYPTION_KEY to the new key and ENCRYPTION_KEY_OLD to the old one, then run this again.');
    return 1;
  }
  const changed = await withPlatform(config, async ({ database, sealingKeys, clock }) => {
    const keys = config.encryptionKey ? sealingKeys : [keyEntry(writeNewKey(config.dataDir)), ...sealingKeys];
    const { reseal } = openSealer({ keys });
    const done = await resealAll(database.db, reseal);
    const entry = {
      action: 'encryption_key_rotated',
      actor: 'svc rotate-encryption-key',
      after: { resealed: done },
      origin: nowhere,
    };
    await insertAudit(database.db, [rowOf(entry, nowSeconds(clock))]);
    return done;
  });
  if (!config.encryptionKey) adoptNewKey(config.dataDir);
  print(`${changed} stored secrets are now encrypted with the new key.`);
  print(config.encryptionKey ? 'ENCRYPTION_KEY_OLD can be removed now.' : 'The old key file was replaced.');
  return 0;
}
