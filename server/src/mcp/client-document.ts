import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { McpDeps } from './room.ts';

/*
 * A client is also known by the address of a document about itself (Client ID Metadata Documents): authorization servers
 * that read one need nobody to register, and keep nothing of ours that could be lost.
 */

export const callbackPath = '/api/mcp/authorized';
export const documentPath = '/client-metadata.json';

/** What authorization servers are told of us, however they hear it. */
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

/** Where others read it; nothing where they would not: by the draft only an https address is a client's name. */
export const documentAddress = ({
  baseUrl,
  namedByDocument,
}: Pick<McpDeps, 'baseUrl' | 'namedByDocument'>): string | undefined =>
  baseUrl.startsWith('https:') && namedByDocument() ? `${baseUrl}${documentPath}` : undefined;

/** By an address that is ours no more, or not to be used any more. */
export const isOutdated = (deps: Pick<McpDeps, 'baseUrl' | 'namedByDocument'>, clientId: string | undefined): boolean =>
  clientId?.endsWith(documentPath) === true && clientId !== documentAddress(deps);
