import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { McpDeps } from './context.ts';

/*
 * Client ID Metadata Documents: the client is identified by the URL of a document about itself. Authorization servers
 * that read the document need no registration, so they store nothing about us that could be lost.
 */

export const callbackPath = '/api/mcp/authorized';
export const documentPath = '/client-metadata.json';

/** Our metadata, both for the document and for dynamic registration. */
export const clientMetadata = ({ baseUrl }: Pick<McpDeps, 'baseUrl'>): OAuthClientProvider['clientMetadata'] => ({
  client_name: 'svc',
  redirect_uris: [`${baseUrl}${callbackPath}`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});

export const clientDocument = (deps: Pick<McpDeps, 'baseUrl'>) => ({
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

/** The client id is a document URL that is no longer ours, or no longer to be used. */
export const isOutdated = (deps: Pick<McpDeps, 'baseUrl' | 'namedByDocument'>, clientId: string | undefined): boolean =>
  clientId?.endsWith(documentPath) === true && clientId !== documentAddress(deps);
