import { nowhere, rowOf } from '../identity/audit/log.ts';
import { insertAudit } from '../identity/audit/store.ts';
import { resealVouching } from '../identity/sign-in/store/grants.ts';
import { resealClientSecrets } from '../identity/sign-in/store/providers.ts';
import { resealTotp } from '../identity/store/factors.ts';
import { nowSeconds } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { resealGrants } from '../mcp/store/grants.ts';
import { resealOwnGrants } from '../mcp/store/own-grants.ts';
import { resealServers } from '../mcp/store/servers.ts';
import { resealWebhookSecrets } from '../oauth/store/applications.ts';
import { resealSigningKeys } from '../oauth/store/signing-keys.ts';
import { resealOrganisations } from '../organisations/store/organisations.ts';
import { adoptNewKey, writeNewKey } from '../platform/encryption-key.ts';
import { resealAnswers } from '../platform/idempotency/store.ts';
import { keyEntry } from '../platform/open.ts';
import { resealContents } from '../requests/contents/store.ts';
import { resealCredentials } from '../routing/catalog/store/channels.ts';
import { resealOwnKeys } from '../routing/store/own-keys.ts';
import { type CommandCall, withPlatform } from './command.ts';

/**
 * With a key file a new key is drawn; with ENCRYPTION_KEY the new key is there and the old one in ENCRYPTION_KEY_OLD. The
 * new key is on disk before anything is sealed with it, and both open until the end: a crash in between loses nothing.
 */
export async function rotateEncryptionKey({ config, print }: CommandCall): Promise<number> {
  if (config.encryptionKey && !config.encryptionKeyOld) {
    print('Set ENCRYPTION_KEY to the new key and ENCRYPTION_KEY_OLD to the old one, then run this again.');
    return 1;
  }
  const changed = await withPlatform(config, async ({ database, sealingKeys, clock }) => {
    const keys = config.encryptionKey ? sealingKeys : [keyEntry(writeNewKey(config.dataDir)), ...sealingKeys];
    const { reseal } = openSealer({ keys });
    let done = 0;
    for (const room of [
      ...[resealCredentials, resealWebhookSecrets, resealSigningKeys, resealServers],
      ...[resealClientSecrets, resealVouching, resealAnswers, resealTotp],
      ...[resealGrants, resealOwnGrants, resealOwnKeys, resealContents, resealOrganisations],
    ])
      done += await room(database.db, reseal);
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
  print(`${changed} stored secrets are sealed with the new key.`);
  print(config.encryptionKey ? 'ENCRYPTION_KEY_OLD can be removed now.' : 'The old key file was replaced.');
  return 0;
}
