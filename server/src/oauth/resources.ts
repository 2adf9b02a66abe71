import { toolScopeOf } from '../lib/tool-scopes.ts';
import { trimEndOf } from '../lib/trim-end.ts';

/** A kind of resource below the public address. */
interface ResourceRule {
  /** Matches its path; empty is the public address itself. */
  path: RegExp;
  /** Shown to the user. */
  name: string;
  /** Scopes for clients without other knowledge; unknown scopes are omitted. */
  scopes: readonly string[];
  /** Whether only tokens that name it are accepted, because the user was asked about it. */
  named: boolean;
}

/** A server's tools, as shown on the consent page. */
interface ServerTools {
  server: string;
  tools: { name: string; description: string }[];
  /** Whether they cost money, so that only tokens with that permission are accepted. */
  pays: boolean;
}
/** What a user may use of one server, or of all (null). */
type ListTools = (userId: number, server: string | null) => Promise<ServerTools[]>;

/** Token audiences (RFC 8707): our own addresses, matched by form only, so that probing reveals nothing. */
export interface Resources {
  add(rule: ResourceRule): void;
  /** The rule of a canonical address, or of a path. */
  at(uri: string): ResourceRule | null;
  /** The canonical address; null if it is not ours. */
  known(uri: string): string | null;
  /** The extra parameter of a 401 challenge at this path (RFC 9728 §5.1); null for none. */
  challengeAt(path: string): string | null;
  /** The server whose tools are used at an address, null for all; undefined if there are none. */
  serverAt(uri: string): string | null | undefined;
  /** Scopes a client of this resource may request. */
  scopesAt(uri: string): string[];
  /** Registers the source of tools; until then there are none. */
  listToolsBy(list: ListTools): void;
  toolsFor: ListTools;
}

/** Matched by form only: which servers exist is known to their users alone. */
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

/** None of our addresses is longer. */
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
      // Libraries add a slash to an address without a path.
      const plain = url && trimEndOf(url.href, '/');
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
