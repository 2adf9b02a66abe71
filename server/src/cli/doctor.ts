import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { listProviders } from '../identity/sign-in/store/providers.ts';
import { systemClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { listServers } from '../mcp/store/servers.ts';
import { s3Blobs } from '../platform/blobs/s3.ts';
import { findDamage } from '../platform/db/damage.ts';
import { listApplied, needsNewer, newerSteps } from '../platform/db/migrate.ts';
import { migration as mcp } from '../platform/db/migrations/0018-mcp.ts';
import { migration as signIn } from '../platform/db/migrations/0024-sign-in.ts';
import { migration as credentials } from '../platform/db/migrations/0034-credentials.ts';
import { migrations } from '../platform/db/migrations/index.ts';
import { openDbReadOnly } from '../platform/db/open.ts';
import { isLoopbackAddress } from '../platform/http/client-ip.ts';
import { openMailTransport } from '../platform/mail.ts';
import { missingDatabase } from '../platform/missing-database.ts';
import { knownSealingKeys, missingKeys } from '../platform/sealing-keys.ts';
import { openShared } from '../platform/shared/open.ts';
import { listChannels } from '../routing/catalog/store/channels.ts';
import { listCredentials } from '../routing/catalog/store/credentials.ts';
import { listAllOwnKeys } from '../routing/store/own-keys.ts';
import type { CommandCall } from './command.ts';

interface Check {
  name: string;
  /** Returns what is fine; throws an error an operator can act on. */
  run(config: Config): Promise<string>;
}

const databaseFile = ({ dataDir }: Config): string => join(dataDir, 'svc.db');
const hasDatabase = (config: Config): boolean => Boolean(config.databaseUrl) || existsSync(databaseFile(config));
const openHere = (config: Config) => openDbReadOnly({ url: config.databaseUrl, path: databaseFile(config) });

/** Null also if the database cannot tell; another check says why. */
async function keysNotHere(config: Config): Promise<string | null> {
  const opened = await openHere(config).catch(() => null);
  try {
    return opened && (await missingKeys(opened.db, config).catch(() => null));
  } finally {
    await opened?.close();
  }
}

/** Less can be used up within a minute of load, including the database's log. */
const leastFreeBytes = 64 * 1024 * 1024;

const isHere = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host.replace(/^\[|\]$/g, ''));

/** None of them changes anything, not even what a first start would create. */
const checks: Check[] = [
  {
    name: 'address',
    run: async ({ baseUrl, host }) => {
      const elsewhere = isHere(new URL(baseUrl).hostname) && !isHere(host);
      return `${baseUrl}${elsewhere ? '; other machines can log in only if BASE_URL is the address they use' : ''}`;
    },
  },
  {
    name: 'data folder',
    run: async ({ dataDir }) => {
      if (!existsSync(dataDir)) return `${dataDir} does not exist yet; the first start creates it`;
      if (!statSync(dataDir).isDirectory()) throw new Error(`${dataDir} is not a folder; check DATA_DIR`);
      accessSync(dataDir, constants.W_OK);
      const { bavail, bsize } = statfsSync(dataDir);
      const free = `${Math.floor((bavail * bsize) / 1024 / 1024)} MiB free`;
      if (bavail * bsize < leastFreeBytes) throw new Error(`the disk of ${dataDir} is full or nearly full: ${free}`);
      return `${dataDir} is writable, ${free}`;
    },
  },
  {
    name: 'encryption key',
    run: async (config) => {
      const missing = hasDatabase(config) && (await keysNotHere(config));
      if (missing) throw new Error(missing);
      if (knownSealingKeys(config).length === 0) return 'none yet; the first start creates it';
      if (config.encryptionKey) return 'from ENCRYPTION_KEY';
      const file = join(config.dataDir, 'encryption.key');
      if (statSync(file).mode & 0o077) throw new Error(`others can read ${file}; run: chmod 600 ${file}`);
      return `${file}, readable by its owner only`;
    },
  },
  {
    name: 'database',
    run: async (config) => {
      const lost = config.databaseUrl ? null : missingDatabase(config.dataDir);
      if (lost) throw new Error(lost);
      if (!hasDatabase(config)) return 'none yet; the first start creates it';
      const damage = config.databaseUrl ? null : findDamage(databaseFile(config));
      if (damage) throw new Error(`the file is damaged; restore a backup: ${damage}`);
      const { db, engine, close } = await openHere(config);
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
      if (!hasDatabase(config)) return 'none yet';
      const keys = knownSealingKeys(config);
      const { db, close } = await openHere(config);
      try {
        const channels = await listChannels(db);
        const applied = await listApplied(db);
        // An older database is inspected without being migrated.
        const has = (step: { name: string }) => applied.some(({ name }) => name === step.name);
        const servers = has(mcp) ? await listServers(db) : [];
        const providers = has(signIn) ? await listProviders(db) : [];
        const ownKeys = has(credentials) ? await listAllOwnKeys(db) : [];
        const further = has(credentials) ? (await listCredentials(db)).filter(({ first }) => !first) : [];
        const secrets = [
          ...channels.map(({ name, sealedCredential }) => ({
            what: `the credential of channel ${name}`,
            sealedCredential,
          })),
          ...further.map(({ name, channelId, sealed }) => ({
            what: `the credential ${name} of channel ${channelId}`,
            sealedCredential: sealed,
          })),
          ...ownKeys.map(({ id, owner, sealed }) => ({
            what: `the provider key ${id} of ${'teamId' in owner ? `team ${owner.teamId}` : `user ${owner.userId}`}`,
            sealedCredential: sealed,
          })),
          ...servers.map(({ name, sealedHeaders }) => ({
            what: `the headers of MCP server ${name}`,
            sealedCredential: sealedHeaders,
          })),
          ...servers.map(({ name, sealedClientSecret }) => ({
            what: `the client secret of MCP server ${name}`,
            sealedCredential: sealedClientSecret,
          })),
          ...servers.map(({ name, sealedClientKey }) => ({
            what: `the client key of MCP server ${name}`,
            sealedCredential: sealedClientKey,
          })),
          ...providers.map(({ slug, sealedSecret }) => ({
            what: `the client secret of identity provider ${slug}`,
            sealedCredential: sealedSecret,
          })),
        ];
        if (keys.length === 0 && secrets.every(({ sealedCredential }) => !sealedCredential)) return 'none yet';
        if (keys.length === 0)
          throw new Error(
            'credentials are stored, but the key is missing: put encryption.key back into the data folder',
          );
        const sealer = openSealer({ keys });
        for (const { what, sealedCredential } of secrets) {
          try {
            if (sealedCredential) sealer.open(sealedCredential);
          } catch {
            throw new Error(
              `${what} cannot be decrypted with this key; enter it again, or set ENCRYPTION_KEY_OLD to the old key`,
            );
          }
        }
        const others = [
          ...(servers.length > 0 ? [`${servers.length} MCP servers`] : []),
          ...(providers.length > 0 ? [`${providers.length} identity providers`] : []),
        ];
        return [`${channels.length} channels can be decrypted`, ...others].join(', and ');
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
      return redisUrl ? 'Redis responds' : 'in memory (one process)';
    },
  },
  {
    name: 'mail',
    run: async ({ mail }) => {
      if (!mail) return 'not configured; administrators share links themselves';
      const transport = openMailTransport(mail);
      try {
        await transport.verify();
        return `${new URL(mail.url).host} accepts the login`;
      } finally {
        transport.close();
      }
    },
  },
  {
    name: 'files',
    run: async ({ dataDir, s3 }) => {
      if (s3) {
        // Only a write shows whether a bucket is writable; the object is deleted again.
        const blobs = s3Blobs(s3);
        await blobs.put('doctor/check', new TextEncoder().encode('ok'), 'text/plain');
        await blobs.delete('doctor/check');
        return 'the S3 bucket is writable';
      }
      const folder = join(dataDir, 'blobs');
      if (!existsSync(folder)) return 'none yet; the first start creates the folder';
      accessSync(folder, constants.W_OK);
      return 'the folder is writable';
    },
  },
];

/** Continues after a failed check, so that one run reports everything. */
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
  print(faults === 0 ? 'All checks passed.' : `${faults} of ${checks.length} checks failed.`);
  return faults === 0 ? 0 : 1;
}
