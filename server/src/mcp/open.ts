import type { Clock } from '../lib/clock.ts';
import type { ConnectedTools } from '../lib/connected-tools.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Route } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { McpRoom } from './room.ts';
import { mcpRoutes } from './routes.ts';
import { Sessions } from './sessions.ts';
import { connectedTools } from './tools.ts';

export interface Mcp {
  tools: ConnectedTools;
  routes: Route[];
  /** Ends sessions that nobody used for a while. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function openMcp(deps: { db: Db; sealer: Sealer; clock: Clock; log: Log; allowPrivate: boolean }): Mcp {
  const sessions = new Sessions(deps);
  const room: McpRoom = { ...deps, sessions };
  const tools = connectedTools(room);
  return { tools, routes: mcpRoutes(room, tools), sweep: () => sessions.sweep(), stop: () => sessions.stop() };
}
