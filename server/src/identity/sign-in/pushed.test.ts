import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { Browser, type OtherCompany, startOtherCompany } from './other-company.fixture.ts';

/* A provider that accepts only pushed requests, and says so in its document (RFC 9126 §5). */

const origin = 'http://localhost:3000';
let t: TestApp;
let company: OtherCompany;
beforeAll(async () => {
  [t, company] = await Promise.all([
    openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } }),
    startOtherCompany([`${origin}/api/auth/strict/callback`], {
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
    }),
  ]);
  company.people.ann = { preferred_username: 'ann' };
  const root = await t.root();
  const body = { slug: 'strict', name: 'Strict', issuer: company.issuer, ...company.client };
  expect((await root.call('/api/admin/identity-providers', { method: 'POST', body })).status).toBe(201);
});
afterAll(async () => {
  company?.stop();
  await t?.close();
});

test('users sign in with a provider that requires pushed requests', async () => {
  const browser = new Browser({ origin, call: t.call });
  const started = await browser.visit(`${origin}/api/auth/strict/start`);
  const away = new URL(started.headers.get('location')!);
  expect([...away.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
  await browser.visit(await browser.logInAt(away.href, 'ann'));
  const self = await browser.visit(`${origin}/api/user/self`);
  expect(await self.json()).toMatchObject({ data: { username: 'ann' } });
});
