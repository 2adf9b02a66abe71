import type { Route } from '../platform/http/route.ts';
import type { RelayDeps } from './deps.ts';
import { chatRoutes, type MetaModels } from './routes/chat.ts';
import { messagesRoutes } from './routes/messages.ts';

/** Every endpoint of the relay; another is one file and one line. */
export function relayRoutes(deps: RelayDeps, metaModels: MetaModels): Route[] {
  return [...chatRoutes(deps, metaModels), ...messagesRoutes(deps)];
}
