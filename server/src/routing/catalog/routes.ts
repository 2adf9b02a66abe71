import type { Route } from '../../platform/http/route.ts';
import { type AliasRouteDeps, aliasRoutes } from './routes/aliases.ts';
import { type CatalogRouteDeps, channelRoutes } from './routes/channels.ts';
import { type CredentialRouteDeps, credentialRoutes } from './routes/credentials.ts';
import { providerModelRoutes } from './routes/provider-models.ts';

export type { CatalogRouteDeps } from './routes/channels.ts';

export const catalogRoutes = (deps: CatalogRouteDeps & CredentialRouteDeps & AliasRouteDeps): Route[] => [
  ...channelRoutes(deps),
  ...credentialRoutes(deps),
  ...providerModelRoutes(deps),
  ...aliasRoutes(deps),
];
