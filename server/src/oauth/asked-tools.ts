import { openTools, readToolScope } from '../lib/tool-scopes.ts';
import type { Resources } from './resources.ts';
import type { Scope } from './scopes.ts';

/** What an application would get of one server. */
export interface AskedServer {
  server: string;
  /** The whole server, including future tools. */
  all: boolean;
  /** The current tools; without `all`, the requested ones, existing or not. */
  tools: { name: string; description: string }[];
}

/** The tools a user is asked about for a resource; undefined if it has none. */
export async function askedTools(
  resources: Pick<Resources, 'serverAt' | 'toolsFor'>,
  userId: number,
  uri: string,
  scopes: readonly Scope[],
): Promise<AskedServer[] | undefined> {
  const at = resources.serverAt(uri);
  if (at === undefined) return undefined;
  const pays = scopes.includes('models:use');
  const there = (await resources.toolsFor(userId, at)).filter((server) => pays || !server.pays);
  const open = openTools(scopes);
  if (!open) return there.map(({ server, tools }) => ({ server, all: true, tools }));
  const named = scopes
    .flatMap((name) => readToolScope(name) ?? [])
    .filter(({ server }) => at === null || server === at);
  return [...Map.groupBy(named, ({ server }) => server)].map(([server, asked]) => {
    const known = there.find((one) => one.server === server)?.tools ?? [];
    if (open.opensAll(server)) return { server, all: true, tools: known };
    const descriptions = new Map(known.map(({ name, description }) => [name, description]));
    const tools = asked.flatMap(({ tool }) =>
      tool === null ? [] : [{ name: tool, description: descriptions.get(tool) ?? '' }],
    );
    return { server, all: false, tools };
  });
}
