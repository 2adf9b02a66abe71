/** A rotation of the encryption key that was killed, or met a full disk, is completed by the next one. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

setDefaultTimeout(120_000);
const place = mkdtempSync(join(tmpdir(), 'svc-interrupted-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const source = join(place, 'litellm.yaml');
writeFileSync(
  source,
  'model_list: [{ model_name: m, litellm_params: { model: openai/gpt-4o, api_key: sk-upstream-secret } }]',
);

async function opened(name: string) {
  const env = { DATA_DIR: join(place, name) };
  const svc = async (command: string, ...given: string[]) => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const code = await runCommand(command, given, env, { print: say, complain: say });
    return { code, said: lines.join('\n') };
  };
  expect((await svc('migrate')).code).toBe(0);
  expect((await svc('import', 'litellm', source, '--yes')).code).toBe(0);
  const [key, next] = ['encryption.key', 'encryption.key.new'].map((file) => join(env.DATA_DIR, file));
  return { svc, key: key!, next: next! };
}

async function expectRotated({ svc, key, next }: Awaited<ReturnType<typeof opened>>, left: string): Promise<void> {
  expect(await svc('rotate-encryption-key')).toEqual({ code: 0, said: expect.stringContaining('was replaced') });
  expect(existsSync(next)).toBe(false);
  expect(readFileSync(key, 'utf8')).not.toBe(left);
  expect((await svc('doctor')).said).toContain('1 channels can be decrypted');
}

test('before anything was encrypted with the new key', async () => {
  const at = await opened('before');
  const left = readFileSync(at.key, 'utf8');
  writeFileSync(at.next, 'cd'.repeat(32));
  await expectRotated(at, left);
  expect(readFileSync(at.key, 'utf8')).toBe('cd'.repeat(32));
});

test('after everything was, before the new key took its place', async () => {
  const at = await opened('after');
  const left = readFileSync(at.key, 'utf8');
  expect((await at.svc('rotate-encryption-key')).code).toBe(0);
  writeFileSync(at.next, readFileSync(at.key));
  writeFileSync(at.key, left);
  await expectRotated(at, left);
});

test('when the disk had no room for the new key', async () => {
  const at = await opened('full');
  const left = readFileSync(at.key, 'utf8');
  writeFileSync(at.next, '');
  expect((await at.svc('doctor')).said).toContain('1 channels can be decrypted');
  await expectRotated(at, left);
});
