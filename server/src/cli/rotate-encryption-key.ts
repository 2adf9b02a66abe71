import { openSealer } from '../lib/seal.ts';
import { resealWebhookSecrets } from '../oauth/store/applications.ts';
import { adoptNewKey, writeNewKey } from '../platform/encryption-key.ts';
import { keyEntry } from '../platform/open.ts';
import { resealCredentials } from '../routing/catalog/store/channels.ts';
import type { CommandCall } from './command.ts';
import { withPlatform } from './with-platform.ts';

/**
 * With a key file a new key is drawn; with ENCRYPTION_KEY the new key is there and the old one in ENCRYPTION_KEY_OLD. The
 * new key is on disk before anything is sealed with it, and both open until the end: a crash in between loses nothing.
 */
export async function rotateEncryptionKey({ config, print }: CommandCall): Promise<number> {
  if (config.encryptionKey && !config.encryptionKeyOld) {
    print('Set ENCRYPTION_KEY to the new key and ENCRYPTION_KEY_OLD to the old one, then run this again.');
    return 1;
  }
  const changed = await withPlatform(config, async ({ database, sealingKeys }) => {
    const keys = config.encryptionKey ? sealingKeys : [keyEntry(writeNewKey(config.dataDir)), ...sealingKeys];
    const { reseal } = openSealer({ keys });
    return (await resealCredentials(database.db, reseal)) + (await resealWebhookSecrets(database.db, reseal));
  });
  if (!config.encryptionKey) adoptNewKey(config.dataDir);
  print(`${changed} stored secrets are sealed with the new key.`);
  print(config.encryptionKey ? 'ENCRYPTION_KEY_OLD can be removed now.' : 'The old key file was replaced.');
  return 0;
}
