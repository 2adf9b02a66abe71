import type { Clock } from '../../lib/clock.ts';
import { keptKeyFile } from '../../lib/google-account.ts';
import type { Sealer } from '../../lib/seal.ts';
import { trimEndOf } from '../../lib/trim-end.ts';
import { vendors } from '../../lib/vendors/table.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fromPreset, insertWithModels } from './channels.ts';
import { needsKey, presetsOf } from './presets.ts';
import { priceEntries } from './price-entries.ts';
import { providerHasChannel } from './store/channels.ts';
import { bumpVersion } from './store/version.ts';

/**
 * Creates a channel with its models for each variable that is set and whose provider has none yet. Call before opening
 * the catalog. Returns the names of the created channels.
 */
export async function ensureEnvChannels(
  db: Db,
  env: Readonly<Record<string, string | undefined>>,
  { sealer, clock }: { sealer: Sealer; clock: Clock },
  rows = vendors,
): Promise<string[]> {
  const made: string[] = [];
  const models = Map.groupBy(priceEntries(rows), ({ provider }) => provider);
  for (const preset of presetsOf(rows)) {
    const value = (preset.env && env[preset.env])?.trim();
    if (!value) continue;
    const { credential: _, ...fields } = fromPreset(preset);
    const filled = needsKey(preset)
      ? { ...fields, sealedCredential: sealer.seal(keptKeyFile(value) ?? value) }
      : { ...fields, baseUrl: withVersionPath(value), sealedCredential: '' };
    const created = await db.transaction().execute(async (tx) => {
      // Serialises processes that start at the same time, so that only the first creates the channel.
      await bumpVersion(tx);
      if (await providerHasChannel(tx, preset.id)) return false;
      await insertWithModels(tx, { clock }, filled, models.get(preset.id) ?? []);
      return true;
    });
    if (created) made.push(preset.name);
  }
  return made;
}

/** The address is usually given as `http://host:11434`; its OpenAI-compatible API is below `/v1`. */
function withVersionPath(address: string): string {
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = '/v1';
  return trimEndOf(url.href, '/');
}
