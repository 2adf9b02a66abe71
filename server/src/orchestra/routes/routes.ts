import type { Route } from '../../platform/http/route.ts';
import type { Deps } from '../ports.ts';
import { importRoute } from './import.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { preferenceRoutes } from './preferences.ts';
import { sessionRoutes } from './sessions.ts';
import { sourceRoutes } from './sources.ts';

export const orchestraRoutes = (deps: Deps): Route[] => [
  ...sessionRoutes(deps),
  importRoute(deps),
  ...sourceRoutes(deps),
  ...knowledgeRoutes(deps),
  ...preferenceRoutes(deps),
];
