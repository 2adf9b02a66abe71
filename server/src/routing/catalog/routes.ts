import type { Route } from '../../platform/http/route.ts';
import { type CatalogRouteDeps, channelRoutes } from './routes/channels.ts';
import { providerModelRoutes } from './routes/provider-models.ts';

export type { CatalogRouteDeps } from './routes/channels.ts';

export const catalogRoutes = (deps: CatalogRouteDeps): Route[] => [
  ...channelRoutes(deps),
  ...providerModelRoutes(deps),
];
