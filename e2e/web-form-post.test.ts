/** Answers that are posted to an application (`response_mode=form_post`), with a browser and openid-client on its server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as openid from 'openid-client';
import { browserMissing, openSite, type Site } from './browser.ts';

let site: Site;
let app: Bun.Server<unknown>;
let config: openid.Configuration;
let appUrl: string;
/** What the callback received, in order. */
const received: { origin: string | null; referrer: string | null; outcome: string }[] = [];

const verifier = openid.randomPKCECodeVerifier();
const state = `"'<>& ${openid.randomState()}`;

const page = (title: string) =>
  new Response(`<!doctype html><title>${title}</title><h1>${title}</h1>`, { headers: { 'content-type': 'text/html' } });

async function outcomeOf(request: Request): Promise<string> {
  const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true };
  const tokens: unknown = await openid.authorizationCodeGrant(config, request, checks).catch((error) => error);
  if (tokens instanceof openid.AuthorizationResponseError) return tokens.error;
  if (tokens instanceof Error) throw tokens;
  return 'signed in';
}

/** An application that goes on to another origin of its own, as many do. */
async function answer(request: Request): Promise<Response> {
  const { pathname, host } = new URL(request.url);
  if (request.method !== 'POST' || pathname !== '/callback')
    return page(host.startsWith('localhost') ? 'Inside' : 'Start');
  const { headers } = request;
  received.push({
    origin: headers.get('origin'),
    referrer: headers.get('referer'),
    outcome: await outcomeOf(request),
  });
  return Response.redirect(`http://localhost:${app.port}/inside`, 303);
}

describe.skipIf(browserMissing)('form_post responses', () => {
  beforeAll(async () => {
    site = await openSite({ OPENID_CONNECT: '1' });
    app = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
    appUrl = `http://127.0.0.1:${app.port}`;
    const body = { name: 'Forms', redirect_uris: [`${appUrl}/callback`], scopes: 'openid profile' };
    const made = await site.service.root.api<{ client_id: string; client_secret_plain: string }>(
      '/api/oauth2/applications',
      { method: 'POST', body },
    );
    config = await openid.discovery(new URL(site.service.url), made.client_id, made.client_secret_plain, undefined, {
      execute: [openid.allowInsecureRequests],
    });
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    await app?.stop(true);
  });

  const authorization = async (more: Record<string, string> = {}): Promise<string> =>
    openid.buildAuthorizationUrl(config, {
      ...{ redirect_uri: `${appUrl}/callback`, scope: 'openid', state, response_mode: 'form_post' },
      ...{ code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', ...more },
    }).href;

  const arrived = (outcome: string) => ({ origin: site.service.url, referrer: `${site.service.url}/`, outcome });

  test('the application receives a form after consent, denial and silent login, and Back does not resend it', async () => {
    const { page: tab, complaints } = await site.register('poster');
    for (const [button, outcome] of [
      ['Allow', 'signed in'],
      ['Deny', 'access_denied'],
    ] as const) {
      received.length = 0;
      await tab.goto(appUrl);
      await tab.goto(await authorization());
      await tab.getByRole('button', { name: button }).click();
      await tab.getByRole('heading', { name: 'Inside' }).waitFor();
      expect(received).toEqual([arrived(outcome)]);
      await tab.goBack();
      await tab.getByRole('heading', { name: 'Start' }).waitFor();
      expect(received).toHaveLength(1);
    }
    expect(complaints).toEqual([]);
    received.length = 0;
    const stranger = await site.visit();
    await stranger.page.goto(await authorization({ prompt: 'none' }));
    await stranger.page.getByRole('heading', { name: 'Inside' }).waitFor();
    expect(received).toEqual([arrived('login_required')]);
  }, 300_000);

  test('without JavaScript a button submits the form', async () => {
    received.length = 0;
    const url = new URL(await authorization());
    const { response_type: _, ...request } = Object.fromEntries(url.searchParams);
    const { redirect_url } = await site.service.root.api<{ redirect_url: string }>('/api/oauth2/authorize', {
      method: 'POST',
      body: { ...request, approved: true },
    });
    const { page: tab } = await site.visit({ javaScriptEnabled: false });
    await tab.goto(redirect_url);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByRole('heading', { name: 'Inside' }).waitFor();
    expect(received).toEqual([arrived('signed in')]);
  }, 300_000);
});
