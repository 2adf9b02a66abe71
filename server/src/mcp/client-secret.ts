import type { OAuthClientProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client';

/** What the library prefers of an authorization server's methods. */
type Choose = (client: StoredOAuthClientInformation, methods: string[]) => string;

/** Puts a client's id, and its secret if it has one, into a request (RFC 6749 §2.3.1). */
export function presentSecret(
  { client_id: id, client_secret: secret = '' }: StoredOAuthClientInformation,
  method: string,
  { headers, params }: { headers: Headers; params: URLSearchParams },
): void {
  if (method === 'client_secret_basic') headers.set('authorization', basicCredentials(id, secret));
  else params.set('client_id', id);
  if (method === 'client_secret_post') params.set('client_secret', secret);
}

/** Both halves are encoded, or a server that decodes them reads another secret. */
export const basicCredentials = (id: string, secret: string): string =>
  `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;

/** In place of the library's own way, which does not encode them. */
export const bySecret =
  (
    { clientInformation }: Pick<OAuthClientProvider, 'clientInformation'>,
    choose: Choose,
  ): NonNullable<OAuthClientProvider['addClientAuthentication']> =>
  async (headers, params, _url, metadata) => {
    const client = await clientInformation();
    if (!client) return;
    const methods = metadata?.token_endpoint_auth_methods_supported ?? [];
    presentSecret(client, choose(client, methods), { headers, params });
  };
