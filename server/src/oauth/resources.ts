import { toolScopeOf } from '../lib/tool-scopes.ts';
import { withoutTrailing } from '../lib/trailing.ts';

/** A kind of resource below the public address. */
interface ResourceRule {
  /** Of its path; empty is the public address itself. */
  path: RegExp;
  /** For the user who is asked. */
  name: string;
  /** What a client that knows nothing else may ask for; a scope that there is not is left out. */
  scopes: readonly string[];
  /** Whether only tokens that name it open it: then the user was asked about it. */
  named: boolean;
}

/** A server's tools, as a user is told of them who is asked whether an application may use them. */
interface ServerTools {
  server: string;
  tools: { name: string; description: string }[];
  /** Whether they spend what is the user's, so that only tokens that may do that open them. */
  pays: boolean;
}
/** What a user may use of one server, or of all (null). */
type ListTools = (userId: number, server: string | null) => Promise<ServerTools[]>;

/** What tokens can be made out to (RFC 8707): addresses of ours, told by their form alone, so that asking finds nothing out. */
export interface Resources {
  add(rule: ResourceRule): void;
  /** The rule of an address, as `known` gives it, or of a path below ours. */
  at(uri: string): ResourceRule | null;
  /** The address in its one form; null when it is none of ours. */
  known(uri: string): string | null;
  /** What a 401 at this path says beside its challenge (RFC 9728 §5.1); null for nothing. */
  challengeAt(path: string): string | null;
  /** Whose tools are used at an address: one server's, those of all (null); undefined where there are none. */
  serverAt(uri: string): string | null | undefined;
  /** What a client of this resource may ask for. */
  scopesAt(uri: string): string[];
  /** From now on, who knows of tools is asked for them; until then there are none. */
  listToolsBy(list: ListTools): void;
  toolsFor: ListTools;
}

/** Told by its form alone, as all addresses are: which servers there are is for their users to know. */
const serverIn = (path: string): string | null | undefined => {
  const found = /^\/mcp(?:\/([a-z0-9-]{1,24}(?:_\d{1,15})?))?$/.exec(path);
  return found ? (found[1] ?? null) : undefined;
};

const toolScopesAt = (path: string): string[] => {
  const server = serverIn(path);
  return server ? [toolScopeOf(server)] : [];
};

const own: ResourceRule[] = [
  { path: /^$/, name: 'Your account', scopes: ['openid', 'profile', 'email'], named: false },
  { path: /^\/v1$/, name: 'Models, as with your API keys', scopes: ['openid', 'models:use'], named: false },
  {
    path: /^\/mcp\/svc$/,
    name: 'Models, knowledge, runs and videos, as tools',
    scopes: ['openid', 'models:use'],
    named: true,
  },
  {
    path: /^\/mcp(\/[a-z0-9-]{1,24}(_\d{1,15})?)?$/,
    name: 'Tools of connected servers',
    scopes: ['openid'],
    named: true,
  },
];

/** No address of ours is longer. */
const mostCharacters = 2000;

export const metadataPath = '/.well-known/oauth-protected-resource';

export function openResources(baseUrl: string, enabled: () => boolean): Resources {
  const rules = [...own];
  let tools: ListTools = async () => [];
  const ruleOf = (path: string) => rules.find((rule) => rule.path.test(path)) ?? null;
  const pathOf = (uri: string) => (uri.startsWith(baseUrl) ? uri.slice(baseUrl.length) : uri);
  return {
    serverAt: (uri) => serverIn(pathOf(uri)),
    scopesAt: (uri) => [...(ruleOf(pathOf(uri))?.scopes ?? []), ...toolScopesAt(pathOf(uri))],
    listToolsBy: (list) => {
      tools = list;
    },
    toolsFor: (userId, server) => tools(userId, server),
    add: (rule) => void rules.push(rule),
    at: (uri) => ruleOf(pathOf(uri)),
    known: (uri) => {
      const url = uri.length > mostCharacters || uri.includes('#') ? null : URL.parse(uri);
      // Libraries write an address without a path with a slash.
      const plain = url && withoutTrailing(url.href, '/');
      return plain?.startsWith(baseUrl) && ruleOf(plain.slice(baseUrl.length)) ? plain : null;
    },
    challengeAt: (path) => {
      if (!enabled()) return null;
      for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/')))
        if (ruleOf(at)) return `resource_metadata="${baseUrl}${metadataPath}${at}"`;
      return null;
    },
  };
}
