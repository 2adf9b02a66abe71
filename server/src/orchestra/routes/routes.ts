import type { Route } from '../../platform/http/route.ts';
import type { Deps } from '../ports.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { preferenceRoutes } from './preferences.ts';
import { sessionRoutes } from './sessions.ts';

export const orchestraRoutes = (deps: Deps): Route[] => [
  ...sessionRoutes(deps),
  ...knowledgeRoutes(deps),
  ...preferenceRoutes(deps),
];
