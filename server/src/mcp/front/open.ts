import type { Route } from '../../platform/http/route.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Mcp } from '../open.ts';
import { frontRoutes } from '../routes/front.ts';
import { usableServerRoutes } from '../routes/usable-servers.ts';
import type { FrontContext } from './context.ts';
import { EndedSessions } from './ended-sessions.ts';
import { LogLevels } from './log-levels.ts';
import { MessageHandler } from './message-handler.ts';
import { NotificationStreams } from './notification-streams.ts';
import { Peers } from './peers.ts';
import { Questions } from './questions.ts';
import { RunningCalls } from './running-calls.ts';
import { ServerStreams } from './server-streams.ts';
import { type ShowTools, shownTools } from './shown-tools.ts';
import { WaitingCalls } from './waiting-calls.ts';

export interface FrontDeps extends Pick<FrontContext, 'own' | 'settings' | 'recheckCaller'> {
  mcp: Pick<Mcp, 'room' | 'offers'>;
  shared: Shared;
  /** Whether pages of this origin may call the MCP endpoints. */
  originAllowed(origin: string): boolean | Promise<boolean>;
}

export interface McpFront {
  routes: Route[];
  /** Shown to users who are asked whether an application may use their tools. */
  shownTools: ShowTools;
  /** Closes everything that would otherwise stay open indefinitely. */
  drain(): void;
  stop(): Promise<void>;
}

/** Serves connected servers, and our own tools, to MCP clients. */
export function openMcpFront({ mcp, shared, originAllowed, ...deps }: FrontDeps): McpFront {
  const peers = new Peers({ ...mcp.room, shared });
  const questions = new Questions({ ...mcp.room, shared, peers });
  const waiting = new WaitingCalls({ ...mcp.room, peers });
  const aside = new ServerStreams(mcp.room.callers);
  const room: FrontContext = { ...mcp.room, offers: mcp.offers, ...deps, questions, waiting, aside };
  const listening = new NotificationStreams(room);
  const underWay = new RunningCalls(shared);
  const ended = new EndedSessions(shared);
  const logLevels = new LogLevels(shared);
  const serving = new MessageHandler({ underWay, logLevels, log: room.log });
  return {
    routes: [...frontRoutes({ room, serving, underWay, listening, ended, originAllowed }), ...usableServerRoutes(room)],
    shownTools: shownTools(room),
    drain: () => {
      listening.stop();
      waiting.stop();
      aside.stop();
    },
    stop: async () => {
      await serving.stop();
      await underWay.stop();
      await ended.stop();
      await logLevels.stop();
      listening.stop();
      waiting.stop();
      aside.stop();
      await questions.stop();
      await peers.stop();
    },
  };
}
