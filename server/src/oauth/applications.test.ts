import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  callback,
  everything,
  faultOf,
  jsonOf,
  type OAuthTest,
  openOAuthTest,
  type TestClient,
} from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const applications = '/api/oauth2/applications';
type Consent = { application_id: number; scopes: string };

describe('applications', () => {
  test('an application is created with all fields, and the secret is shown once', async () => {
    const owner = await t.user();
    const body = {
      name: ' My app ',
      description: 'd'.repeat(500),
      homepage_url: 'https://home.example',
      logo_url: 'https://home.example/logo.png',
      redirect_uris: [callback, callback, 'myapp://cb'],
      scopes: 'openid  profile openid',
      webhook_url: 'https://home.example/hook',
    };
    const { data } = await jsonOf(owner.call(applications, { method: 'POST', body }));
    expect(data).toEqual({
      id: expect.any(Number),
      name: 'My app',
      description: body.description,
      homepage_url: body.homepage_url,
      logo_url: body.logo_url,
      client_id: expect.stringMatching(/^svc_[0-9A-Za-z]{32}$/),
      client_secret_plain: expect.stringMatching(/^svcsec_[0-9A-Za-z]{48}$/),
      redirect_uris: JSON.stringify([callback, 'myapp://cb']),
      allowed_scopes: 'openid profile',
      app_type: 'confidential',
      status: 1,
      is_verified: false,
      verified_by: null,
      verified_at: null,
      webhook_url: body.webhook_url,
      rate_limit: 1000,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    const { client_secret_plain, ...rest } = data;
    const list = await jsonOf(owner.call(applications));
    expect(list).toEqual({ success: true, data: { applications: [rest], total: 1, page: 1, page_size: 20 } });
    const one = await jsonOf(owner.call(`${applications}/${data.id}`));
    expect(one.data).toEqual(rest);
    const { webhook_secret } = (await jsonOf(owner.call(`${applications}/${data.id}/webhook-secret`))).data;
    expect(webhook_secret).toStartWith('svcwh_');
    const stored = await t.platform.database.db
      .selectFrom('oauth_applications')
      .selectAll()
      .where('id', '=', data.id)
      .executeTakeFirstOrThrow();
    for (const secret of [client_secret_plain, webhook_secret]) expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test('every field is validated, and nothing is partly created', async () => {
    const owner = await t.user();
    const good = { name: 'x', redirect_uris: [callback], scopes: 'openid' };
    const make = (fields: Record<string, unknown>) =>
      owner.call(applications, { method: 'POST', body: { ...good, ...fields } });
    const faults: Record<string, unknown>[] = [
      { name: undefined },
      { name: '' },
      { name: '   ' },
      { name: 'x'.repeat(65) },
      { name: 7 },
      { name: 'a\nb' },
      { name: 'a\u0000b' },
      { description: 'x'.repeat(501) },
      { description: null },
      { redirect_uris: undefined },
      { redirect_uris: [7] },
      { scopes: undefined },
      { scopes: '' },
      { scopes: '   ' },
      { scopes: 'openid '.repeat(40) },
      { scopes: ['openid'] },
      { scopes: 'unknown' },
      { app_type: 'native' },
      { homepage_url: `https://x.example/${'x'.repeat(2000)}` },
      { webhook_url: 'ftp://x.example' },
    ];
    for (const fields of faults) {
      const response = await make(fields);
      const fault = await jsonOf(response);
      expect([fields, response.status]).toEqual([fields, 400]);
      const error_description = fault.message.replaceAll('"', "'");
      expect(fault).toMatchObject({ success: false, error: expect.any(String), error_description });
    }
    expect((await owner.call(applications, { method: 'POST', body: '[]' })).status).toBe(400);
    expect((await jsonOf(owner.call(applications))).data.total).toBe(0);
    expect((await make({ name: '🦊'.repeat(64) })).status).toBe(200);
    expect((await t.call(applications, { method: 'POST', body: good })).status).toBe(401);
  });

  test('fields are changed one by one; an invalid field changes nothing', async () => {
    const client = await t.client();
    const put = (body: unknown) => t.owner.call(`${applications}/${client.id}`, { method: 'PUT', body });
    const changed = await jsonOf(put({ name: 'Renamed', scopes: 'email', redirect_uris: ['https://b.example/'] }));
    expect(changed.data).toMatchObject({
      name: 'Renamed',
      allowed_scopes: 'email',
      redirect_uris: '["https://b.example/"]',
      description: '',
    });
    expect((await put({ name: 'Again', redirect_uris: ['javascript:x'] })).status).toBe(400);
    expect((await put({ name: null })).status).toBe(400);
    expect((await jsonOf(put({}))).data.name).toBe('Renamed');
    for (const id of ['999999', '0', 'abc', '1e3', '-1', '99999999999999999999'])
      expect((await t.owner.call(`${applications}/${id}`, { method: 'PUT', body: {} })).status).toBe(404);
  });

  test('a shorter list of the operator leaves owners with forms that they can send', async () => {
    const registered = 'openid profile usage:read';
    const client = await t.client({ scopes: registered });
    const path = `/api/oauth2/applications/${client.id}`;
    const put = (body: object) => t.owner.call(path, { method: 'PUT', body });
    const create = (scopes: string) =>
      t.owner.call('/api/oauth2/applications', {
        method: 'POST',
        body: { name: 'Other', redirect_uris: ['https://a.example/'], scopes },
      });
    for (const list of ['email profile', '']) {
      await t.setOption('OAuth2AllowedScopes', list);
      // `openid` is always added, so it is always there to be asked for.
      expect((await create('openid')).status).toBe(200);
      const kept = (await jsonOf(put({ name: `Renamed ${list.length}`, scopes: registered }))).data;
      expect(kept).toMatchObject({ name: `Renamed ${list.length}`, allowed_scopes: registered });
      expect(await faultOf(put({ scopes: `${registered} tokens:read` }))).toEqual([400, 'invalid_scope']);
      expect(await faultOf(create('openid usage:read'))).toEqual([400, 'invalid_scope']);
      expect(await faultOf(t.decide(client, { scope: 'usage:read' }))).toEqual([400, 'invalid_scope']);
    }
    expect((await put({ scopes: 'openid' })).status).toBe(200);
    expect(await faultOf(put({ scopes: 'openid profile' }))).toEqual([400, 'invalid_scope']);
    await t.setOption('OAuth2AllowedScopes', everything);
  });

  test('a public client has no secret to rotate; making it confidential creates one', async () => {
    const client = await t.client({ app_type: 'public' });
    expect(client.secret).toBe('');
    const rotate = () => t.owner.call(`${applications}/${client.id}/rotate-secret`, { method: 'POST' });
    expect(await faultOf(rotate())).toEqual([400, 'invalid_request']);
    await t.owner.call(`${applications}/${client.id}`, { method: 'PUT', body: { app_type: 'confidential' } });
    expect(await faultOf(t.refresh(client, 'svcrt_x'))).toEqual([401, 'invalid_client']);
    const { data } = await jsonOf(rotate());
    expect((await t.tokens({ ...client, secret: data.client_secret_plain })).token_type).toBe('Bearer');
  });

  test('deletion is final, also from suspended', async () => {
    const client = await t.client();
    await t.tokens(client);
    await t.act('suspend', client.id);
    const path = `${applications}/${client.id}`;
    const answer = await jsonOf(t.owner.call(path, { method: 'DELETE' }));
    expect(answer).toEqual({ success: true, message: expect.any(String) });
    for (const init of [{}, { method: 'DELETE' }, { method: 'PUT', body: {} }])
      expect((await t.owner.call(path, init)).status).toBe(404);
    for (const action of ['verify', 'unverify', 'suspend', 'activate'])
      expect((await t.act(action, client.id)).status).toBe(404);
    expect((await t.decide(client)).status).toBe(404);
    const { data } = await jsonOf(t.member.call('/api/oauth2/consents?page_size=100'));
    expect(data.consents.some((c: Consent) => c.application_id === client.id)).toBe(false);
    expect((await t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' })).status).toBe(404);
  });

  test('the number of applications is limited, including those deleted today', async () => {
    const prolific = await t.app.user();
    const body = { name: 'One of many', redirect_uris: ['https://many.example/cb'], scopes: 'openid' };
    const make = async () => {
      const answer = await prolific.call('/api/oauth2/applications', { method: 'POST', body });
      return { status: answer.status, id: ((await answer.json()) as { data?: { id: number } }).data?.id };
    };
    const { id: first } = await make();
    const { db } = t.platform.database;
    const { id: _, ...row } = (await db
      .selectFrom('oauth_applications')
      .selectAll()
      .where('id', '=', first!)
      .executeTakeFirst())!;
    const rows = Array.from({ length: 498 }, (__, at) => ({
      ...row,
      client_id: `many-${at}`,
      status: at < 250 ? 1 : 3,
    }));
    for (const part of [rows.slice(0, 250), rows.slice(250)])
      await db.insertInto('oauth_applications').values(part).execute();
    expect((await make()).status).toBe(200);
    expect((await make()).status).toBe(409);
    await prolific.call(`/api/oauth2/applications/${first}`, { method: 'DELETE' });
    expect((await make()).status).toBe(409);
    t.clock.advance(86_401_000);
    expect((await make()).status).toBe(200);
  });

  test('page sizes are clamped', async () => {
    const owner = await t.user();
    for (let i = 0; i < 3; i += 1) await t.client({ name: `n${i}` }, owner);
    const list = async (query: string) => (await jsonOf(owner.call(`${applications}?${query}`))).data;
    const second = await list('page=2&page_size=2');
    expect(second).toMatchObject({ total: 3, page: 2, page_size: 2 });
    expect(second.applications).toHaveLength(1);
    expect(await list('page=-1&page_size=1000')).toMatchObject({ page: 1, page_size: 100 });
    expect(await list('page=x&page_size=0')).toMatchObject({ page: 1, page_size: 1 });
    for (const none of ['page=&page_size=', 'page=%20&page_size=%20'])
      expect(await list(none)).toMatchObject({ page: 1, page_size: 20 });
  });
});

describe('consents', () => {
  test('consents are listed with the application and revoked once', async () => {
    const user = await t.user();
    const client = await t.client({ name: 'Reader', description: 'reads', logo_url: 'https://l.example/l.png' });
    const tokens = await t.tokens(client, { scope: 'email' }, user);
    const list = await jsonOf(user.call('/api/oauth2/consents'));
    expect(list.data).toEqual({
      consents: [
        {
          id: expect.any(Number),
          user_id: user.id,
          application_id: client.id,
          scopes: 'openid email',
          created_at: expect.any(Number),
          updated_at: expect.any(Number),
          app_name: 'Reader',
          app_description: 'reads',
          app_logo_url: 'https://l.example/l.png',
          app_homepage_url: '',
          app_is_verified: false,
        },
      ],
      total: 1,
      page: 1,
      page_size: 20,
    });
    const remove = () => user.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
    expect(await jsonOf(remove())).toEqual({ success: true, message: expect.any(String) });
    expect((await remove()).status).toBe(404);
    expect((await t.userinfo(tokens.access_token)).status).toBe(401);
    const { db } = t.platform.database;
    const rows = await db.selectFrom('oauth_tokens').select('id').where('user_id', '=', user.id).execute();
    expect(rows).toEqual([]);
  });

  test('API keys created by an application are kept or deleted with its access', async () => {
    const user = await t.user();
    const [client, other] = [await t.client(), await t.client()];
    const make = async (of: TestClient) => {
      const { access_token } = await t.tokens(of, { scope: 'tokens:write' }, user);
      const init = { method: 'POST', body: { name: 'made for you' } };
      return (await jsonOf(t.withBearer('/api/oauth2/tokens', access_token, init))).data.id as number;
    };
    const own = (await jsonOf(user.call('/api/tokens', { method: 'POST', body: { name: 'my own' } }))).data.id;
    const ofOther = await make(other);
    const kept = await make(client);
    const keys = async (): Promise<number[]> =>
      (await jsonOf(user.call('/api/tokens'))).data
        .map(({ id }: { id: number }) => id)
        .sort((a: number, b: number) => a - b);
    const listed = async () => {
      const { consents } = (await jsonOf(user.call('/api/oauth2/consents'))).data;
      return consents.find((one: Consent) => one.application_id === client.id);
    };
    const revoke = (query = '') => user.call(`/api/oauth2/consents/${client.id}${query}`, { method: 'DELETE' });
    const makers = (await jsonOf(user.call('/api/tokens'))).data.map((key: { id: number; made_by: number }) => [
      ...[key.id, key.made_by],
    ]);
    expect(new Map(makers)).toEqual(
      new Map([
        [own, null],
        [ofOther, other.id],
        [kept, client.id],
      ]),
    );
    expect(await listed()).toMatchObject({ keys: 1 });
    expect((await revoke('?keys=some')).status).toBe(400);
    expect((await revoke()).status).toBe(200);
    expect(await keys()).toEqual([own, ofOther, kept]);
    await make(client);
    expect(await listed()).toMatchObject({ keys: 2 });
    expect((await revoke('?keys=delete')).status).toBe(200);
    expect(await keys()).toEqual([own, ofOther]);
  });

  test('users must consent again after a suspension', async () => {
    const client = await t.client();
    await t.tokens(client, { scope: 'openid' });
    const query = new URLSearchParams({ response_type: 'code', client_id: client.clientId, redirect_uri: callback });
    const ask = async () => (await jsonOf(t.member.call(`/api/oauth2/authorize?${query}`))).data;
    expect(await ask()).toMatchObject({ has_existing_consent: true, needs_reconsent: false });
    for (const action of ['suspend', 'suspend', 'activate', 'activate']) await t.act(action, client.id);
    expect(await ask()).toMatchObject({ has_existing_consent: true, needs_reconsent: true });
    await t.code(client, { scope: 'openid' });
    expect(await ask()).toMatchObject({ existing_scopes: 'openid', needs_reconsent: false });
  });

  test('concurrent approvals keep each other’s scopes', async () => {
    const client = await t.client();
    await Promise.all(['email', 'profile', 'tokens:read', 'usage:read'].map((scope) => t.code(client, { scope })));
    const { data } = await jsonOf(t.member.call('/api/oauth2/consents?page_size=100'));
    const consent = data.consents.find((c: Consent) => c.application_id === client.id);
    expect(consent.scopes.split(' ').sort()).toEqual(['email', 'openid', 'profile', 'tokens:read', 'usage:read']);
  });
});
