import type { ConnectedTools } from '../lib/connected-tools.ts';
import { LingerTimer } from '../lib/linger-timer.ts';
import type { PersonalData } from '../platform/db/pages.ts';
import { guardedDial } from '../platform/http/outgoing.ts';
import type { Route } from '../platform/http/route.ts';
import { UpstreamConnections } from '../platform/upstream/connections.ts';
import { sweepApprovals } from './approvals.ts';
import type { McpContext, McpDeps } from './context.ts';
import { unwatchedMs } from './direct-calls.ts';
import { noteLacking, openTokens } from './grants.ts';
import { endIdleSessions, keptSessions } from './kept-sessions.ts';
import { McpCache } from './mcp-cache.ts';
import { openOwnTokens } from './own-tokens.ts';
import { openRevocation } from './revocation.ts';
import { mcpRoutes } from './routes.ts';
import { SentTokens } from './sent-tokens.ts';
import { forgetMember, forgetUser } from './servers.ts';
import { type SessionDeps, Sessions } from './sessions.ts';
import { exportOf } from './store/account-data.ts';
import { connectedTools } from './tools.ts';
import { type ListUsableTools, openUsableTools } from './usable-tools.ts';

export interface Mcp {
  room: McpContext;
  offers: ListUsableTools;
  tools: ConnectedTools;
  routes: Route[];
  exportOf(userId: number): PersonalData;
  forgetUser(userId: number): Promise<void>;
  /** Called when a user has left the organisation with this account. */
  forgetMember(userId: number, accountId: number): Promise<void>;
  /** Ends idle sessions and deletes expired approvals. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function openMcp({ fetchOnly, ...deps }: McpDeps): Mcp {
  const lines = fetchOnly ? undefined : new UpstreamConnections({ dial: guardedDial(deps) });
  const known = new McpCache(deps);
  const granting = { ...deps, known };
  const userTokens = openTokens(granting);
  const lacking: SessionDeps['lacking'] = async (server, userId, scope) =>
    noteLacking(granting, server, await userTokens.signer(server, userId), scope);
  const tokens = { userTokens, ownTokens: openOwnTokens(granting), giveBack: openRevocation(deps) };
  const sentTokens = new SentTokens();
  const signedIn = { ...granting, lines, slow: new LingerTimer(unwatchedMs), ...tokens, sentTokens, lacking };
  const sessions = new Sessions(signedIn);
  const callers = new Sessions(signedIn, keptSessions(signedIn));
  const room: McpContext = { ...signedIn, sessions, callers };
  const offers = openUsableTools(room);
  const tools = connectedTools(room, offers);
  return {
    room,
    offers,
    tools,
    routes: mcpRoutes(room, tools),
    exportOf: (userId) => exportOf(deps.db, userId),
    forgetUser: (userId) => forgetUser(room, userId),
    forgetMember: (userId, accountId) => forgetMember(room, userId, accountId),
    sweep: async () => {
      await sessions.sweep();
      await callers.sweep();
      await endIdleSessions(room);
      await sweepApprovals(deps);
    },
    stop: async () => {
      await Promise.all([sessions.stop(), callers.stop()]);
      await known.stop();
      lines?.close();
    },
  };
}
