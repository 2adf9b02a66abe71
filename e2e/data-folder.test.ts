/** A data folder that lost something: said in words one can act on, and not made worse. */
import { afterAll, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import runtimeEnvironment from '../server/src/runtime-environment.json' with { type: 'json' };
import { program } from './program.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-folder-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const dataDir = join(place, 'data');
const file = join(dataDir, 'svc.db');

async function svc(...args: string[]): Promise<{ code: number; said: string }> {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: '0', ...runtimeEnvironment };
  const child = Bun.spawn([...program, ...args], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const said = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { code: await child.exited, said };
}

/** Every file with its size and the time it was last changed. */
const seen = () =>
  readdirSync(dataDir, { recursive: true })
    .toSorted()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(dataDir, `${name}`));
      return `${name} ${size} ${mtimeMs}`;
    });

test('doctor changes nothing, before and after the first start', async () => {
  const before = await svc('doctor');
  expect([before.code, existsSync(dataDir)]).toEqual([0, false]);
  expect((await svc('migrate')).code).toBe(0);
  const made = seen();
  expect(made.some((line) => line.startsWith('encryption.key'))).toBe(true);
  const after = await svc('doctor');
  expect(after.said).toContain('All checks passed');
  expect(seen()).toEqual(made);
}, 300_000);

test('doctor and check-database find damaged pages', async () => {
  const whole = readFileSync(file);
  const torn = Buffer.from(whole);
  // The first page holds the names of the tables; without it everybody would notice.
  torn.fill(0xa5, 8 * 4096);
  writeFileSync(file, torn);
  for (const command of ['doctor', 'check-database']) {
    const { code, said } = await svc(command);
    expect([command, code]).toEqual([command, 1]);
    expect(said).toMatch(/malformed|Tree \d+|page \d+|btreeInitPage/i);
  }
  writeFileSync(file, whole);
  expect(await svc('check-database')).toEqual({ code: 0, said: `${file} is not damaged.\n` });
}, 300_000);

test.each(['empty', 'missing'])(
  'when an earlier database is %s, no new one is created without --new',
  async (how) => {
    if (how === 'empty') truncateSync(file);
    else rmSync(file);
    const left = seen();
    for (const command of ['serve', 'migrate', 'doctor']) {
      const { code, said } = await svc(command);
      expect([command, code]).toEqual([command, 1]);
      expect(said).toContain(`${file} is ${how}, but there was a database: encryption.key, blobs`);
      expect(said).toContain('svc migrate --new');
    }
    const ours = (lines: string[]) => lines.filter((line) => !line.startsWith('owner.'));
    expect(ours(seen())).toEqual(ours(left));
    expect((await svc('migrate', '--new')).code).toBe(0);
    expect((await svc('doctor')).said).toContain('All checks passed');
  },
  300_000,
);
