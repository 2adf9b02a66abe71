import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSealer } from '../lib/seal.ts';
import { jsonOf, openOAuthTest, type TestClient } from './oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest } from './openid/openid.fixture.ts';
import { openAnswer } from './response-mode.ts';

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

type Fields = Record<string, string>;
const mode = { response_mode: 'form_post' };

/** Where the browser is sent by an answer of the service. */
const addressIn = async (answer: Response | Promise<Response>): Promise<string> => {
  const body = await jsonOf(answer);
  return body.data?.redirect_url ?? body.redirect_url;
};
const pathOf = (address: string): string => address.slice(t.config.baseUrl.length);

/** What a browser makes of the page: where the form goes, and its fields. */
async function formOf(page: Response): Promise<{ action: string | null; fields: Fields }> {
  const found: { action: string | null; fields: Fields } = { action: null, fields: {} };
  const rewriter = new HTMLRewriter()
    .on('form', {
      element: (form) => {
        expect(form.getAttribute('method')).toBe('post');
        found.action = unescaped(form.getAttribute('action')!);
      },
    })
    .on('form input[type=hidden]', {
      element: (input) => {
        found.fields[input.getAttribute('name')!] = unescaped(input.getAttribute('value')!);
      },
    });
  await rewriter.transform(page).text();
  return found;
}
const unescaped = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const posted = async (answer: Response | Promise<Response>) => {
  const address = await addressIn(answer);
  expect(address).toStartWith(`${t.config.baseUrl}/api/oauth2/form_post?`);
  const page = await t.call(pathOf(address));
  expect(page.status).toBe(200);
  return formOf(page);
};

test('a code returned by form can be exchanged like any other', async () => {
  const { action, fields } = await posted(t.decide(client, { ...mode, state: 'a "b" <c> & \' +\n' }));
  expect(action).toBe(client.redirectUri);
  expect(fields).toEqual({ code: expect.any(String), state: 'a "b" <c> & \' +\n', iss: t.config.baseUrl });
  expect((await t.exchange(client, { code: fields.code! })).status).toBe(200);
});

test.each([
  ['access_denied', () => t.decide(client, { ...mode, state: 's', approved: false })],
  ['invalid_scope', () => t.member.call(askFor(client, { ...mode, state: 's', scope: 'openid nope' }))],
  ['unsupported_response_type', () => t.member.call(askFor(client, { ...mode, state: 's', response_type: 'token' }))],
  ['request_not_supported', () => t.member.call(askFor(client, { ...mode, state: 's', request: 'e30' }))],
  ['login_required', () => silent({ ...mode, state: 's' }, false)],
  ['consent_required', () => silent({ ...mode, state: 's' }, true)],
] as [string, () => Promise<Response>][])('%s goes back as a form', async (error, ask) => {
  const { action, fields } = await posted(ask());
  expect(action).toBe(client.redirectUri);
  expect(fields).toEqual({ error, error_description: expect.any(String), state: 's', iss: t.config.baseUrl });
});

const silent = (fields: Fields, signedIn: boolean) =>
  (signedIn ? t.member.call : t.call)('/api/oauth2/authorize/silent', {
    method: 'POST',
    body: {
      ...{ response_type: 'code', client_id: client.clientId, redirect_uri: client.redirectUri },
      ...{ scope: 'openid email', prompt: 'none', ...fields },
    },
  });

test('a pushed request carries response_mode, and the URL cannot override it', async () => {
  const push = (fields: Fields) =>
    t.post('/api/oauth2/par', {
      ...{ client_id: client.clientId, client_secret: client.secret, response_type: 'code' },
      ...{ redirect_uri: client.redirectUri, scope: 'openid profile', state: 'pushed', ...fields },
    });
  const decide = (request_uri: string, fields: Fields = {}) =>
    t.member.call('/api/oauth2/authorize', {
      method: 'POST',
      body: { client_id: client.clientId, request_uri, approved: true, ...fields },
    });
  const { request_uri } = await jsonOf(push(mode));
  expect((await posted(decide(request_uri))).fields).toMatchObject({ code: expect.any(String), state: 'pushed' });
  const plain = await jsonOf(push({}));
  expect((await leadsTo(decide(plain.request_uri, mode))).get('code')).toBeTruthy();
  const jwt = await push({ response_mode: 'jwt' });
  expect([jwt.status, (await jsonOf(jwt)).error]).toEqual([400, 'invalid_request']);
});

test.each(['fragment', 'jwt', 'query.jwt', 'form_post.jwt', 'web_message', 'FORM_POST', 'form_post query'])(
  'the mode %j is told to the application by the address',
  async (response_mode) => {
    for (const answer of [
      t.member.call(askFor(client, { response_mode, state: 's' })),
      t.decide(client, { response_mode, state: 's', scope: 'openid' }),
    ]) {
      const address = await addressIn(answer);
      expect(address).toStartWith(`${client.redirectUri}?`);
      const told = new URL(address).searchParams;
      expect([told.get('error'), told.get('state')]).toEqual(['invalid_request', 's']);
    }
  },
);

test('form_post for a private-use scheme is rejected by redirect', async () => {
  const native = await t.client({ redirect_uris: ['com.example.app:/cb'] });
  const address = await addressIn(t.decide(native, mode));
  expect(address).toStartWith('com.example.app:/cb?error=invalid_request&');
});

test('the redirect URI keeps its query, and iss is omitted for applications that ask for it', async () => {
  const own = await t.client({ redirect_uris: ['https://client.example/cb?a=1&b="<'], send_iss: false });
  const { action, fields } = await posted(t.decide(own, mode));
  expect(action).toBe('https://client.example/cb?a=1&b="<');
  expect(Object.keys(fields)).toEqual(['code']);
});

describe('the form_post page', () => {
  const pageOf = async (fields: Fields = {}) =>
    t.call(pathOf(await addressIn(t.decide(client, { ...mode, ...fields }))));

  test('is not cached, runs one script and cannot be framed', async () => {
    const page = await pageOf();
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    // With `no-referrer`, browsers send the form with `Origin: null`, which clients that check it refuse.
    expect(page.headers.get('referrer-policy')).toBe('strict-origin');
    const policy = page.headers.get('content-security-policy')!;
    const html = await page.text();
    const [script, ...others] = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text!);
    expect(others).toEqual([]);
    const hash = new Bun.CryptoHasher('sha256').update(script!).digest('base64');
    expect(policy).toBe(`default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`);
    expect(html).toContain('<button type="submit"');
    expect(html).not.toMatch(/ on\w+=| style=/);
  });

  test('request values are escaped', async () => {
    const state = `"><script>alert(1)</script><input name='code' value='x'>&quot;</form>`;
    const page = await pageOf({ state });
    const html = await page.clone().text();
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html.match(/<form|<\/form/g)).toHaveLength(2);
    expect((await formOf(page)).fields.state).toBe(state);
  });

  test('uses the reader’s language', async () => {
    const path = pathOf(await addressIn(t.decide(client, mode)));
    const read = async (language: string) => (await t.call(path, { headers: { 'accept-language': language } })).text();
    expect(await read('en')).toContain('<html lang="en"');
    expect(await read('zh-CN,zh;q=0.9')).toContain('<html lang="zh-CN"');
  });

  test('a state of maximum length fits', async () => {
    const state = 'x'.repeat(8000);
    expect((await formOf(await pageOf({ state }))).fields.state).toBe(state);
  });

  test('a modified, foreign or expired answer is not posted', async () => {
    const path = pathOf(await addressIn(t.decide(client, mode)));
    const described = await jsonOf(t.member.call(askFor(client)));
    const sealedOtherwise = `/api/oauth2/form_post?answer=${described.data.signed_in_after}`;
    const changed = `${path.slice(0, -2)}${path.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const address of [sealedOtherwise, changed, '/api/oauth2/form_post?answer=x', '/api/oauth2/form_post'])
      await expectNoForm(await t.call(address, { headers: browser }));
    expect((await t.call(path)).status).toBe(200);
    t.clock.advance(600_000);
    await expectNoForm(await t.call(path, { headers: browser }));
    const told = await t.call(path);
    expect([told.status, (await jsonOf(told)).error]).toEqual([400, 'invalid_request']);
  });
  const browser = { accept: 'text/html,application/xhtml+xml' };
  const expectNoForm = async (page: Response) => {
    expect(page.status).toBe(400);
    expect(await page.text()).not.toMatch(/<form|<script/);
  };
});

test.each(['{"kind":"compaction"}', 'null', '5', '"form-post"'])('other sealed JSON is no answer: %s', (text) => {
  const sealer = openSealer({ keys: [{ id: 'k', key: new Uint8Array(32) }] });
  expect(openAnswer({ clock: t.clock, sealer }, sealer.seal(text))).toBeNull();
});

test('form_post is announced only if OpenID Connect is enabled', async () => {
  const announced = await jsonOf(t.call('/.well-known/openid-configuration'));
  expect(announced.response_modes_supported).toEqual(['query', 'form_post']);
  const off = await openOAuthTest();
  const of = await off.client();
  expect((await leadsTo(off.decide(of, mode))).get('code')).toBeTruthy();
  expect((await off.call('/api/oauth2/form_post?answer=x')).status).toBe(404);
  await off.close();
});
