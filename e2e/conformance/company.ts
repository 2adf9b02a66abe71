/**
 * The company of the test of enterprise-managed authorization. The test's identity provider has no sign-in and gives its
 * client a ready ID token. This provider stands in front of it: it signs users in and forwards the token exchange to it.
 */
import type { Member } from '../../server/src/app.fixture.ts';
import { startLiar } from '../../server/src/identity/sign-in/liar.fixture.ts';
import { signInThrough } from '../../server/src/identity/sign-in/voucher.fixture.ts';
import { rootPassword, type Service } from '../service.ts';

/** What the test tells its client about the provider. */
export interface TestProvider {
  idp_client_id?: string;
  idp_id_token?: string;
  idp_token_endpoint?: string;
}

/** The request of the service, with the ID token of the test instead of the service's own. */
async function vouching(test: TestProvider, asked: URLSearchParams): Promise<Response> {
  const body = new URLSearchParams(asked);
  body.set('subject_token', test.idp_id_token ?? '');
  body.set('client_id', test.idp_client_id ?? '');
  const answer = await fetch(test.idp_token_endpoint ?? '', { method: 'POST', body });
  return new Response(await answer.arrayBuffer(), answer);
}

/** Connects it to the service under this name and signs the administrator in through it. */
export async function joinCompany({ url, root }: Service, test: TestProvider, slug: string): Promise<{ stop(): void }> {
  const company = startLiar();
  company.state.lies.token = (asked) =>
    asked.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange' ? vouching(test, asked) : undefined;
  const body = { slug, name: 'Company', issuer: company.issuer, client_id: 'svc', vouches: true };
  await root.api('/api/admin/identity-providers', { method: 'POST', body });
  const call: Member['call'] = (path, { method = 'GET', headers = {}, body: sent } = {}) =>
    fetch(url + path, {
      ...{
        method,
        redirect: 'manual',
        headers: { cookie: root.cookie, 'content-type': 'application/json', ...headers },
      },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
  const { at } = await signInThrough({ cookie: root.cookie, call }, slug, rootPassword);
  if (at !== '/tools') throw new Error(`the sign-in through the company ended at ${at}`);
  return { stop: () => void company.stop() };
}
