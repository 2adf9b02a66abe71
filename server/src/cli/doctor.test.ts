import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { openInbox } from '../identity/links/smtp.fixture.ts';
import { freePort } from '../lib/free-port.fixture.ts';
import { doctor } from './doctor.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
afterAll(() => rmSync(place, { recursive: true }));

async function said(environment: Record<string, string>): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const config = readConfig({ DATA_DIR: join(place, 'none'), ...environment });
  const code = await doctor({ config, args: [], flags: new Set(), env: {}, print: (line) => lines.push(line) });
  return { code, lines };
}

test('a mail server that rejects the login fails the check, one that accepts it passes, and no mail is sent', async () => {
  const inbox = await openInbox();
  const mail = { MAIL_FROM: 'svc@example.com' };
  const good = await said({ ...mail, SMTP_URL: inbox.url });
  expect(good).toMatchObject({
    code: 0,
    lines: expect.arrayContaining([`✓ mail: ${new URL(inbox.url).host} accepts the login`]),
  });
  expect(inbox.mails).toEqual([]);
  await inbox.close();
  const bad = await said({ ...mail, SMTP_URL: `smtp://someone:a-secret@127.0.0.1:${freePort()}` });
  expect(bad.code).toBe(1);
  expect(bad.lines.find((line) => line.startsWith('✗ mail: '))).toContain('ECONNREFUSED');
  expect(bad.lines.join()).not.toContain('a-secret');
});

test.each([
  [{}, false],
  [{ HOST: '0.0.0.0' }, true],
  [{ HOST: '::', BASE_URL: 'http://[::1]:3000' }, true],
  [{ HOST: '0.0.0.0', BASE_URL: 'https://gate.example' }, false],
])('with %p the check warns about other machines: %p', async (environment, spoken) => {
  const { lines } = await said(environment);
  expect(lines[0]!.includes('other machines')).toBe(spoken);
});
