import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { callback, jsonOf, type OAuthTest, openOAuthTest, type TestClient } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const put = (client: TestClient, body: Record<string, unknown>) =>
  t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body });

/** Whose application it is, is what an administrator vouched for; all of this tells a person so. */
const trusted: Record<string, unknown> = {
  name: 'My bank',
  description: 'Your bank, online',
  homepage_url: 'https://bank.example/',
  logo_url: 'https://bank.example/logo.png',
  redirect_uris: [callback, 'https://elsewhere.example/callback'],
  app_type: 'public',
};
const free: Record<string, unknown> = { scopes: 'openid email', webhook_url: 'https://client.example/hook' };

const verified = async (): Promise<TestClient> => {
  const client = await t.client();
  expect((await jsonOf(t.act('verify', client.id))).data).toMatchObject({ is_verified: true });
  return client;
};
const lastUpdate = async (client: TestClient): Promise<{ changed_fields: string[] }> => {
  const path = `/api/oauth2/admin/audit?event_type=app_updated&application_id=${client.id}`;
  const { metadata } = (await jsonOf((await t.root()).call(path))).data.logs[0];
  return typeof metadata === 'string' ? JSON.parse(metadata) : metadata;
};

describe('a verified application', () => {
  test.each(Object.entries(trusted))('loses its verification when its %s changes', async (field, value) => {
    const client = await verified();
    const changed = (await jsonOf(put(client, { [field]: value }))).data;
    expect(changed).toMatchObject({ is_verified: false, verified_by: null, verified_at: null });
    expect((await lastUpdate(client)).changed_fields).toEqual([field, 'is_verified']);
    const listed = (await jsonOf(t.owner.call('/api/oauth2/applications?page_size=100'))).data.applications;
    expect(listed.find(({ id }: { id: number }) => id === client.id).is_verified).toBe(false);
    expect((await jsonOf(t.act('verify', client.id))).data.is_verified).toBe(true);
  });

  test.each(Object.entries(free))('stays verified when its %s changes', async (field, value) => {
    const client = await verified();
    expect((await jsonOf(put(client, { [field]: value }))).data.is_verified).toBe(true);
  });

  test('stays verified when unchanged values are sent', async () => {
    const client = await verified();
    const same = { name: 'Test application', redirect_uris: [callback], description: '', app_type: 'confidential' };
    expect((await jsonOf(put(client, { ...same, ...free }))).data.is_verified).toBe(true);
  });

  test('cannot be verified in an outdated version', async () => {
    const client = await t.client();
    const root = await t.root();
    const listed = (await jsonOf(root.call(`/api/oauth2/admin/applications?q=${client.clientId}`))).data
      .applications[0];
    t.clock.advance(1_000);
    await put(client, { name: 'Something else' });
    const verify = (updated_at: number) =>
      root.call('/api/oauth2/admin/applications/verify', { method: 'POST', body: { app_id: client.id, updated_at } });
    expect((await verify(listed.updated_at)).status).toBe(409);
    const again = (await jsonOf(root.call(`/api/oauth2/admin/applications?q=${client.clientId}`))).data.applications[0];
    expect((await verify(again.updated_at)).status).toBe(200);
  });

  const looked = async (client: TestClient): Promise<number> =>
    (await jsonOf(t.owner.call(`/api/oauth2/applications/${client.id}`))).data.updated_at;
  const verifySeen = async (client: TestClient, updated_at?: number) =>
    (await t.root()).call('/api/oauth2/admin/applications/verify', {
      method: 'POST',
      body: { app_id: client.id, updated_at },
    });

  test.each(Object.entries(trusted))(
    'cannot be verified if its %s changed within the second in which it was looked at',
    async (field, value) => {
      const client = await t.client();
      const seen = await looked(client);
      await put(client, { [field]: value });
      expect((await verifySeen(client, seen)).status).toBe(409);
      expect((await verifySeen(client, await looked(client))).status).toBe(200);
    },
  );

  test('is never one that changed while it was verified', async () => {
    for (let round = 0; round < 40; round += 1) {
      const client = await t.client();
      const seen = round % 2 === 0 ? await looked(client) : undefined;
      const turns = async (n: number) => {
        for (let turn = 0; turn < n; turn += 1) await new Promise(setImmediate);
      };
      const verifying = turns(round % 5).then(() => verifySeen(client, seen));
      const changing = turns((round >> 2) % 5).then(() => put(client, { name: 'My bank' }));
      const [verify] = await Promise.all([verifying, changing]);
      const row = (await jsonOf(t.owner.call(`/api/oauth2/applications/${client.id}`))).data;
      // Without a version, a change may precede the look; with one it may not.
      const told = verify.ok ? (await jsonOf(verify)).data.name : null;
      if (row.is_verified) expect([row.name, told]).toEqual([told, seen === undefined ? row.name : 'Test application']);
    }
  });

  test('loses its verification under concurrent changes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const client = await verified();
      await Promise.all([put(client, { name: `Round ${round}` }), put(client, { ...free, name: 'Test application' })]);
      const row = (await jsonOf(t.owner.call(`/api/oauth2/applications/${client.id}`))).data;
      expect(row.is_verified).toBe(false);
    }
  });
});
