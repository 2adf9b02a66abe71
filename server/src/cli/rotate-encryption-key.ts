import { mkdirSync } from 'node:fs';
import { nowhere, rowOf } from '../identity/audit/log.ts';
import { insertAudit } from '../identity/audit/store.ts';
import { nowSeconds } from '../lib/clock.ts';
import { openOrNull, openSealer, type SealingKey } from '../lib/seal.ts';
import { retireLostKeys } from '../oauth/store/signing-keys.ts';
import { adoptNewKey, writeNewKey } from '../platform/encryption-key.ts';
import { lockDataFolder } from '../platform/owner-lock.ts';
import { keepOnlyKey, keyEntry } from '../platform/sealing-keys.ts';
import { explained } from '../platform/start-fault.ts';
import { type CommandCall, withPlatform } from './command.ts';
import { resealEach } from './reseal-all.ts';

/**
 * With a key file, a new key is generated; with ENCRYPTION_KEY, that is the new key and ENCRYPTION_KEY_OLD the old one.
 * The new key is on disk before anything is sealed with it, and both can open until the end, so a crash in between
 * loses nothing. With --lost, the current key replaces one that nobody has any more.
 */
export async function rotateEncryptionKey(call: CommandCall): Promise<number> {
  const { config } = call;
  // With SQLite the folder is locked anyway. Of two rotations of one key file, the later one would not know the key
  // that the earlier one has just adopted, and replace its only copy.
  if (!config.databaseUrl || config.encryptionKey) return rotate(call);
  const unlock = await explained(`The data folder ${config.dataDir} cannot be used`, () => {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    return lockDataFolder(config.dataDir);
  });
  return rotate(call).finally(unlock);
}

/** The key of a rotation that was interrupted is among those known already. */
const withNewFirst = (made: SealingKey, known: readonly SealingKey[]): SealingKey[] => [
  made,
  ...known.filter(({ id }) => id !== made.id),
];

async function rotate({ config, flags, print }: CommandCall): Promise<number> {
  const isLost = flags.has('--lost');
  if (config.encryptionKey && !config.encryptionKeyOld && !isLost) {
    print('Set ENCRYPTION_KEY to the new key and ENCRYPTION_KEY_OLD to the old one, then run this again.');
    return 1;
  }
  const makesOne = !config.encryptionKey && !isLost;
  const setup = { ...config, withoutLostKeys: isLost };
  const { changed, unreadable } = await withPlatform(setup, async ({ database: { db }, sealingKeys, clock }) => {
    const keys = makesOne ? withNewFirst(keyEntry(writeNewKey(config.dataDir)), sealingKeys) : sealingKeys;
    const sealer = openSealer({ keys });
    const done = await resealEach(db, sealer.reseal);
    // Nobody enters these: they were drawn here.
    if (isLost) await retireLostKeys(db, (sealed) => openOrNull(sealer, sealed) !== null, nowSeconds(clock));
    await keepOnlyKey(db, keys[0]!.id);
    const entry = {
      action: 'encryption_key_rotated',
      actor: 'svc rotate-encryption-key',
      after: { resealed: done.changed, ...(isLost && { lost: true }) },
      origin: nowhere,
    };
    await insertAudit(db, [rowOf(entry, nowSeconds(clock))]);
    return done;
  });
  if (makesOne) adoptNewKey(config.dataDir);
  print(`${changed} stored secrets are now encrypted with the ${isLost ? 'current' : 'new'} key.`);
  if (unreadable.length > 0) {
    print(
      'These cannot be decrypted with any known key, and were left as they are. Enter them again, or let their owners:',
    );
    for (const { what, count } of unreadable) print(`  ${what}: ${count}`);
  }
  if (!isLost)
    print(config.encryptionKey ? 'ENCRYPTION_KEY_OLD can be removed now.' : 'The old key file was replaced.');
  return 0;
}
