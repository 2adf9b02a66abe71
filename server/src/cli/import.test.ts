import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { newApiDatabase } from '../intake/new-api/new-api.fixture.ts';
import { writeMigrated } from '../platform/db/migrated.fixture.ts';
import { openDb } from '../platform/db/open.ts';
import { importFrom } from './import.ts';

// As the program itself has it.
const umask = process.umask(0o077);
const folder = mkdtempSync(join(tmpdir(), 'svc-import-'));
const file = join(folder, 'svc.db');
let there: Awaited<ReturnType<typeof newApiDatabase>>;

beforeAll(async () => {
  const password = await Bun.password.hash('a password of before', { algorithm: 'bcrypt', cost: 4 });
  there = await newApiDatabase({
    channels: [{ id: 1, type: 43, key: 'sk-of-deepseek', name: 'Deep\u001b[2Jseek', models: 'deepseek-chat' }],
    users: [
      { id: 1, username: 'root', password, role: 100, quota: 7_000_000, aff_code: 'a' },
      { id: 2, username: 'mary\u001b[2J', password, quota: 1_000_000, aff_code: 'b' },
    ],
    tokens: [{ id: 1, user_id: 2, key: 'k'.repeat(48), name: 'laptop', unlimited_quota: true }],
  });
  await writeMigrated(file);
});
afterAll(async () => {
  await there.drop();
  rmSync(folder, { recursive: true, force: true });
  process.umask(umask);
});

async function run(args: string[], ...flags: string[]): Promise<{ code: number; said: string }> {
  const lines: string[] = [];
  const call = { config: readConfig({ DATA_DIR: folder }), env: { SQL_DSN: there.source }, args };
  const code = await importFrom({ ...call, flags: new Set(flags), print: (line) => lines.push(line) });
  return { code, said: lines.join('\n') };
}

test('unreadable sources and unknown gateways are refused', async () => {
  expect(await run(['portkey', 'x'])).toMatchObject({ code: 2 });
  expect(await run(['new-api', 'env:NOWHERE'])).toEqual({ code: 1, said: 'NOWHERE is not set.' });
  await expect(run(['new-api', join(folder, 'none.db')])).rejects.toThrow(
    'This is not a readable new-api or one-api database',
  );
  await expect(run(['new-api', 'postgres://u:secret word@[x'])).rejects.toThrow('The database address is not valid.');
  await expect(run(['litellm', join(folder, 'none.yaml')])).rejects.toThrow('cannot be read');
});

test('shows a preview, imports with --yes, and then has nothing more to import', async () => {
  const shown = await run(['new-api', 'env:SQL_DSN']);
  expect(shown.code).toBe(0);
  // Nobody was here before, and so the other root is this one's.
  expect(shown.said).toContain('users (2):\n  root, $14, root\n  mary2J-2, $2');
  expect(shown.said).toContain('user mary[2J is renamed to mary2J-2');
  expect(shown.said).not.toContain('\u001b');
  expect(shown.said).toEndWith('Run the same command with --yes to import.');
  expect((await run(['new-api', there.source], '--yes')).said).toEndWith('Everything was imported.');
  expect((await run(['new-api', there.source])).said).toEndWith('There is nothing to import.');
  expect((await run(['new-api', there.source], '--yes')).said).toEndWith('There is nothing to import.');
  const { db, close } = await openDb({ path: file });
  const entries = await db.selectFrom('audit_log').selectAll().execute();
  await close();
  expect(entries).toMatchObject([{ action: 'taken_in', actor_name: 'svc import' }]);
  expect(JSON.parse(entries[0]!.state_after!)).toEqual({ from: 'new-api', channels: 1, models: 1, users: 2, keys: 1 });
});
