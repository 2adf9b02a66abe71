import { findUser } from '../../identity/store/users.ts';
import { allowedTools } from '../store/tools.ts';
import { usableServer, usableServers } from '../usable-tools.ts';
import type { FrontContext } from './context.ts';
import { ownName } from './own-server.ts';

interface ShownTool {
  name: string;
  description: string;
}

interface ShownServer {
  server: string;
  tools: ShownTool[];
  /** Whether its tools spend the user's quota. */
  pays: boolean;
}

/**
 * The tools of one server, or of all (null), that a user may use, as they were approved. Servers are not queried, so
 * this does not wait for them.
 */
export type ShowTools = (userId: number, server: string | null) => Promise<ShownServer[]>;

export const shownTools =
  (room: Pick<FrontContext, 'db' | 'known' | 'memberships' | 'own'>): ShowTools =>
  async (userId, name) => {
    const { db, own } = room;
    const ours = { server: ownName, tools: own.list().map(shown), pays: true };
    if (name === ownName) return [ours];
    const found =
      name === null
        ? await usableServers(room, userId)
        : [await usableServer(room, await findUser(room.db, userId), name)];
    const servers = found.flatMap((server) => (server && server.name !== ownName ? [server] : []));
    const ids = servers.map(({ id }) => id);
    const allowed = Map.groupBy(await allowedTools(db, ids), ({ serverId }) => serverId);
    const theirs = servers.map(({ id, name: server }) => ({
      ...{ server, tools: (allowed.get(id) ?? []).map(shown), pays: false },
    }));
    return name === null ? [ours, ...theirs] : theirs;
  };

const shown = ({ name, description }: ShownTool): ShownTool => ({ name, description: firstLine(description) });

/** The page shows one line per tool, so longer descriptions are cut. */
const longestLine = 200;

function firstLine(text: string): string {
  const line = text
    .trim()
    .split(/[\r\n]/, 1)[0]!
    .trim();
  const letters = [...line];
  return letters.length <= longestLine ? line : `${letters.slice(0, longestLine - 1).join('')}…`;
}
