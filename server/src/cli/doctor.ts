import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { openBlobs } from '../platform/blobs/open.ts';
import { listApplied, needsNewer, newerSteps } from '../platform/db/migrate.ts';
import { migrations } from '../platform/db/migrations/index.ts';
import { openDb } from '../platform/db/open.ts';
import { sealingKeysOf } from '../platform/open.ts';
import { openShared } from '../platform/shared/open.ts';
import { listChannels } from '../routing/catalog/store/channels.ts';
import type { CommandCall } from './command.ts';

interface Check {
  name: string;
  /** Returns what is good, throws what is wrong in words one can act on. */
  run(config: Config): Promise<string>;
}

const databasePlace = (config: Config) =>
  config.databaseUrl ? { url: config.databaseUrl, poolSize: 1 } : { path: join(config.dataDir, 'svc.db') };

const checks: Check[] = [
  {
    name: 'data folder',
    run: async ({ dataDir }) => {
      mkdirSync(dataDir, { recursive: true });
      accessSync(dataDir, constants.W_OK);
      return `${dataDir} can be written`;
    },
  },
  {
    name: 'encryption key',
    run: async (config) => {
      sealingKeysOf(config);
      const file = join(config.dataDir, 'encryption.key');
      if (config.encryptionKey || !existsSync(file)) return 'from ENCRYPTION_KEY';
      if (statSync(file).mode & 0o077) throw new Error(`others can read ${file}; run: chmod 600 ${file}`);
      return `${file}, readable by its owner only`;
    },
  },
  {
    name: 'database',
    run: async (config) => {
      if (!config.databaseUrl && !existsSync(join(config.dataDir, 'svc.db')))
        return 'none yet; the first start makes it';
      const { db, engine, close } = await openDb(databasePlace(config));
      try {
        const applied = await listApplied(db);
        const newer = newerSteps(applied);
        if (newer.length > 0) throw new Error(needsNewer(newer));
        const waiting = migrations.filter(({ name }) => !applied.some((step) => step.name === name)).length;
        return `${engine} answers${waiting > 0 ? `; ${waiting} migrations run at the next start` : ', up to date'}`;
      } finally {
        await close();
      }
    },
  },
  {
    name: 'credentials',
    run: async (config) => {
      if (!config.databaseUrl && !existsSync(join(config.dataDir, 'svc.db'))) return 'none yet';
      const sealer = openSealer({ keys: sealingKeysOf(config) });
      const { db, close } = await openDb(databasePlace(config));
      try {
        const channels = await listChannels(db);
        for (const channel of channels) {
          try {
            if (channel.sealedCredential) sealer.open(channel.sealedCredential);
          } catch {
            throw new Error(
              `the credential of channel ${channel.name} does not open with this key; set it again, or give the old key as ENCRYPTION_KEY_OLD`,
            );
          }
        }
        return `${channels.length} channels open`;
      } finally {
        await close();
      }
    },
  },
  {
    name: 'shared state',
    run: async ({ redisUrl, redisPrefix }) => {
      const shared = await openShared({ redisUrl, prefix: redisPrefix }, systemClock);
      await shared.ping();
      await shared.close();
      return redisUrl ? 'Redis answers' : 'in memory (one process)';
    },
  },
  {
    name: 'files',
    run: async ({ dataDir, s3 }) => {
      const blobs = await openBlobs({ folder: join(dataDir, 'blobs'), s3 });
      await blobs.put('doctor/check', new TextEncoder().encode('ok'), 'text/plain');
      await blobs.delete('doctor/check');
      return `${blobs.kind === 's3' ? 'the S3 bucket' : 'the folder'} can be written`;
    },
  },
];

/** Goes on past a fault, so that one run tells everything. */
export async function doctor({ config, print }: CommandCall): Promise<number> {
  let faults = 0;
  for (const check of checks) {
    try {
      print(`✓ ${check.name}: ${await check.run(config)}`);
    } catch (error) {
      faults += 1;
      print(`✗ ${check.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  print(faults === 0 ? 'Everything is in order.' : `${faults} of ${checks.length} checks failed.`);
  return faults === 0 ? 0 : 1;
}
