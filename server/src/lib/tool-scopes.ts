/** A scope that names a server connected over MCP, `mcp:{server}`, or one of its tools, `mcp:{server}:{tool}`. */
export type ToolScope = `mcp:${string}`;

/** Longer than any tool's name that is served. */
const mostCharacters = 128;

/** A tool's name is written as in a URL: RFC 6749 §3.3 has no spaces, quotes or other letters than English ones in a scope. */
export const toolScopeOf = (server: string, tool: string | null = null): ToolScope =>
  tool === null ? `mcp:${server}` : `mcp:${server}:${encodeURIComponent(tool.toWellFormed())}`;

/** Null for whatever is no such scope, or is one in another spelling. */
export function readToolScope(name: string): { server: string; tool: string | null } | null {
  const [, server, written] = /^mcp:([a-z0-9-]{1,24}(?:_\d{1,15})?)(?::([!-~]{1,2000}))?$/.exec(name) ?? [];
  if (server === undefined) return null;
  if (written === undefined) return { server, tool: null };
  const tool = decoded(written);
  const isOne = tool !== null && tool.length <= mostCharacters && toolScopeOf(server, tool) === name;
  return isOne ? { server, tool } : null;
}

function decoded(written: string): string | null {
  try {
    return decodeURIComponent(written);
  } catch {
    return null;
  }
}

/** What of the tools that a user may use is open to somebody who acts for them. */
export interface OpenTools {
  opens(server: string, tool: string): boolean;
  /** All of a server: every tool, and what it has besides. */
  opensAll(server: string): boolean;
}

/** Null where no scope names tools: then all are open. Where one does, nothing is but what they name. */
export function openTools(scopes: readonly string[]): OpenTools | null {
  const named = scopes.flatMap((name) => readToolScope(name) ?? []);
  if (named.length === 0) return null;
  const whole = new Set(named.flatMap(({ server, tool }) => (tool === null ? [server] : [])));
  const single = new Set(named.flatMap(({ server, tool }) => (tool === null ? [] : [toolScopeOf(server, tool)])));
  return {
    opens: (server, tool) => whole.has(server) || single.has(toolScopeOf(server, tool)),
    opensAll: (server) => whole.has(server),
  };
}
