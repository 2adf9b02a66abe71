import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import { bumpVersion } from '../routing/catalog/store/version.ts';
import { takeAliases, takeChannels } from './import-catalog.ts';
import { takeCodes, takeKeys, takePeople } from './import-people.ts';
import type { Outcome } from './import-run.ts';
import type { ImportedData } from './imported-data.ts';
import { openImported } from './store/imported.ts';

class OnlyLooked extends Error {}

/** Everything in one transaction. Without `write` the same is done and rolled back, so that the preview is exact. */
export async function runImport(
  { db, clock, sealer }: { db: Db; clock: Clock; sealer: Sealer },
  intake: ImportedData,
  { write }: { write: boolean },
): Promise<Outcome> {
  const nothing = { channels: [], models: [], aliases: [], users: [], keys: [], codes: [] };
  const outcome: Outcome = { ...nothing, before: 0, notes: [...intake.notes] };
  const work = async (tx: Db): Promise<void> => {
    // Its row lock serializes writers: the second of two concurrent imports finds what the first one imported.
    await bumpVersion(tx);
    const now = nowSeconds(clock);
    const taking = { tx, sealer, now, taken: await openImported(tx, intake.source, now), outcome };
    await takeChannels(taking, intake.channels);
    await takeAliases(taking, intake.aliases);
    await takePeople(taking, intake.people);
    await takeKeys(taking, intake.keys);
    await takeCodes(taking, intake.codes);
    if (!write) throw new OnlyLooked();
  };
  await db
    .transaction()
    .execute(work)
    .catch((error: unknown) => {
      if (!(error instanceof OnlyLooked)) throw error;
    });
  return outcome;
}
