/** A scope for a connected MCP server, `mcp:{server}`, or one of its tools, `mcp:{server}:{tool}`. */
export type ToolScope = `mcp:${string}`;

/** Longer than any tool name that is served. */
const mostCharacters = 128;

/** Tool names are percent-encoded: RFC 6749 §3.3 allows no spaces, quotes or non-ASCII characters in a scope. */
export const toolScopeOf = (server: string, tool: string | null = null): ToolScope =>
  tool === null ? `mcp:${server}` : `mcp:${server}:${encodeURIComponent(tool.toWellFormed())}`;

/** Null if it is no such scope, or not in canonical spelling. */
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

/** Which of a user's tools are available to an application acting for them. */
export interface OpenTools {
  opens(server: string, tool: string): boolean;
  /** Everything of a server: all tools, resources and prompts. */
  opensAll(server: string): boolean;
}

/** Null if no scope names tools: then all are available. Otherwise only what the scopes name. */
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
