/** A start without the key that stored secrets are sealed with, and the way on if nobody has it any more. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { runCommand } from './run-command.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-lost-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
mkdirSync(join(place, 'data'));
const former = 'ab'.repeat(32);
const current = 'cd'.repeat(32);

async function svc(args: string[], env: Record<string, string>): Promise<{ code: number; said: string }> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args[0]!, args.slice(1), env, { print: say, complain: say });
  return { code, said: lines.join('\n') };
}

const channel = {
  ...{ name: 'one', provider: 'openai', kind: 'openai', base_url: 'https://api.openai.com/v1', models: ['gpt-5'] },
  credential: 'sk-upstream',
};
const addChannel = async (t: TestApp) => {
  const root = await t.root();
  const answer = await root.call('/api/admin/channels', { method: 'POST', body: channel });
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)]);
};
const signs = async (t: TestApp): Promise<string[]> => {
  const answer = await t.call('/api/oauth2/jwks');
  return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid).toSorted();
};

test.skipIf(process.env.SVC_TEST_ENGINE === 'postgres')(
  'nothing starts without the key, everything is as before with it, and --lost goes on without it',
  async () => {
    const env = { DATA_DIR: join(place, 'data'), OPENID_CONNECT: '1', DEMO_PROVIDER: 'off' };
    // The closing of the fixture rewrites what is sealed: the folder is copied before.
    const first = await openTestApp({ env: { ...env, ENCRYPTION_KEY: former } });
    await addChannel(first);
    const kids = await signs(first);
    const { database } = first.platform;
    expect(kids.length).toBeGreaterThan(0);
    expect((await svc(['backup', join(place, 'kept')], { ...env, ENCRYPTION_KEY: former })).code).toBe(0);
    expect(database.engine).toBe('sqlite');
    await first.close();
    expect((await svc(['restore', join(place, 'kept'), '--force'], env)).code).toBe(0);

    const refused = { code: 1, said: expect.stringContaining('svc rotate-encryption-key --lost') };
    for (const command of [
      ['migrate'],
      ['create-admin', 'newcomer'],
      ['remove-factors', 'root'],
      ['rotate-encryption-key'],
    ])
      expect(await svc(command, env)).toEqual(refused);
    writeFileSync(join(place, 'litellm.yaml'), 'model_list: []');
    expect(await svc(['import', 'litellm', join(place, 'litellm.yaml'), '--yes'], env)).toEqual(refused);
    await expect(openTestApp({ env: { ...env, ENCRYPTION_KEY: current } })).rejects.toThrow('another key than');
    const doctor = await svc(['doctor'], { ...env, ENCRYPTION_KEY: current });
    expect(doctor.said).toContain('✗ encryption key: Stored secrets are encrypted with another key');
    expect((await svc(['doctor'], { ...env, ENCRYPTION_KEY: former })).said).toContain('All checks passed');

    const gone = await svc(['rotate-encryption-key', '--lost'], { ...env, ENCRYPTION_KEY: current });
    expect(gone.code).toBe(0);
    expect(gone.said).toContain('credentials of channels: 1');
    expect(gone.said).toContain(`keys that sign ID tokens: ${kids.length}`);
    const after = await openTestApp({ env: { ...env, ENCRYPTION_KEY: current } });
    const now = await signs(after);
    expect(now).toEqual(expect.arrayContaining(kids));
    expect(now.length).toBe(kids.length * 2);
    await after.close();
  },
  120_000,
);
