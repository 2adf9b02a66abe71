import type { Route } from '../platform/http/route.ts';
import { configRoutes } from './routes/configs.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { ownKeyRoutes } from './routes/own-keys.ts';
import { preferencesRoutes } from './routes/preferences.ts';
import type { Routing } from './routing.ts';

/** Management endpoints. */
export const routingRoutes = ({ parts }: Pick<Routing, 'parts'>): Route[] => [
  ...preferencesRoutes(parts),
  ...configRoutes(parts),
  ...metricsRoutes(parts),
  ...decisionRoutes(parts),
  ...(parts.ownKeys && parts.deps.sealer
    ? ownKeyRoutes({ keys: parts.ownKeys, sealer: parts.deps.sealer, deps: parts.deps })
    : []),
];
