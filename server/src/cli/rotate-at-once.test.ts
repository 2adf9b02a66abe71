/** On PostgreSQL nothing else keeps two rotations of one key file apart. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { openTestApp } from '../app.fixture.ts';
import { openSealer } from '../lib/seal.ts';
import { knownSealingKeys, missingKeys } from '../platform/sealing-keys.ts';
import { resealEach } from './reseal-all.ts';
import { runCommand } from './run-command.ts';

setDefaultTimeout(120_000);

const channel = {
  ...{ name: 'one', provider: 'openai', kind: 'openai', base_url: 'https://api.openai.com/v1', models: ['gpt-5'] },
  credential: 'sk-upstream',
};

test.skipIf(process.env.SVC_TEST_ENGINE !== 'postgres')(
  'of two rotations at once one is refused, and everything opens with the key that is left',
  async () => {
    const t = await openTestApp();
    const { config } = t;
    const root = await t.root();
    expect((await root.call('/api/admin/channels', { method: 'POST', body: channel })).status).toBe(201);
    const env = { DATA_DIR: config.dataDir, DATABASE_URL: config.databaseUrl!, REDIS_URL: config.redisUrl! };
    const rotate = async () => {
      const lines: string[] = [];
      const say = (line: string) => void lines.push(line);
      const code = await runCommand('rotate-encryption-key', [], env, { print: say, complain: say });
      return { code, said: lines.join('\n') };
    };
    const done = await Promise.all([rotate(), rotate()]);
    expect(done.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(done.find(({ code }) => code === 1)!.said).toContain('already uses the data folder');
    const { db } = t.platform.database;
    expect(await missingKeys(db, config)).toBeNull();
    const sealer = openSealer({ keys: knownSealingKeys(config) });
    expect(await resealEach(db, sealer.reseal)).toEqual({ changed: 0, unreadable: [] });
    expect((await rotate()).code).toBe(0);
    await t.close();
  },
);
