import type { OAuthClientProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import type { McpDeps } from './context.ts';

/*
 * Client ID Metadata Documents: the client is identified by the URL of a document about itself. Authorization servers
 * that read the document need no registration, so they store nothing about us that could be lost.
 */

export const callbackPath = '/api/mcp/authorized';
export const documentPath = '/client-metadata.json';

/** Where authorization servers send the browser: to the host of the web app, whose cookie says who returns. */
export const callbackAddress = ({ webUrl }: Pick<McpDeps, 'webUrl'>): string => `${webUrl}${callbackPath}`;

/** Our metadata, both for the document and for dynamic registration. */
export const clientMetadata = (deps: Pick<McpDeps, 'webUrl'>): OAuthClientProvider['clientMetadata'] => ({
  client_name: 'svc',
  redirect_uris: [callbackAddress(deps)],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});

export const clientDocument = (deps: Pick<McpDeps, 'baseUrl' | 'webUrl'>) => ({
  client_id: `${deps.baseUrl}${documentPath}`,
  client_uri: deps.baseUrl,
  ...clientMetadata(deps),
});

/** The document's URL; undefined if it cannot be used: the draft only allows https URLs as client ids. */
export const documentAddress = ({
  baseUrl,
  namedByDocument,
}: Pick<McpDeps, 'baseUrl' | 'namedByDocument'>): string | undefined =>
  baseUrl.startsWith('https:') && namedByDocument() ? `${baseUrl}${documentPath}` : undefined;

/**
 * The client id is a document URL that is no longer ours, or no longer to be used; or the client was registered with
 * another callback address, as our address has changed since.
 */
export function isOutdated(
  deps: Pick<McpDeps, 'baseUrl' | 'webUrl' | 'namedByDocument'>,
  client: StoredOAuthClientInformation,
): boolean {
  const { client_id: clientId } = client;
  if (clientId.endsWith(documentPath)) return clientId !== documentAddress(deps);
  return 'redirect_uris' in client && !client.redirect_uris.includes(callbackAddress(deps));
}
