import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findDamage } from '../platform/db/damage.ts';
import { type CommandCall, noDatabaseIn } from './command.ts';

/** Reads everything, so it takes as long as the file is large; may run beside the service, which runs it once a day. */
export async function checkDatabase({ config, print }: CommandCall): Promise<number> {
  const file = join(config.dataDir, 'svc.db');
  if (config.databaseUrl) {
    print('PostgreSQL checks its own pages.');
    return 0;
  }
  if (!existsSync(file)) {
    print(noDatabaseIn(config));
    return 1;
  }
  const damage = findDamage(file);
  print(damage ?? `${file} is not damaged.`);
  return damage ? 1 : 0;
}
