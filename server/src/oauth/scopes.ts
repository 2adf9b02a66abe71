import type { Options } from '../identity/options.ts';
import { AppError } from '../lib/errors.ts';
import { readToolScope, type ToolScope } from '../lib/tool-scopes.ts';

/** All scopes, with the text shown on the consent page. */
const scopeTable = {
  openid: 'See your basic account information: username, display name, picture and role',
  email: 'See your email address',
  profile: 'See your group and when you joined, and change your display name and picture',
  'tokens:read': 'List your API tokens',
  'tokens:write': 'Create and delete API tokens for you',
  'usage:read': 'See your balance and usage',
  'models:use':
    'Use models on your behalf and pay with your balance, up to a limit that you set; see your files, responses and videos',
} as const;

type ListedScope = keyof typeof scopeTable;
export type Scope = ListedScope | ToolScope;
export const allScopes = Object.keys(scopeTable) as ListedScope[];
/** Available only while OpenID Connect is enabled. */
const laterScopes: ReadonlySet<string> = new Set<Scope>(['models:use']);

/** Scopes applications are registered with. Tool scopes are not among them: they only narrow a token. */
export const isListed = (name: string): name is ListedScope => Object.hasOwn(scopeTable, name);
const isToolScope = (name: string): name is ToolScope => readToolScope(name) !== null;
export const isScope = (name: string): name is Scope => isListed(name) || isToolScope(name);

export function describeScope(name: Scope): string {
  const named = readToolScope(name);
  if (!named) return scopeTable[name as ListedScope];
  return named.tool === null
    ? `Use the tools of ${named.server} on your behalf`
    : `Use the tool ${named.tool} of ${named.server} on your behalf`;
}

/** RFC 6749 §3.3: space-separated, unordered, duplicates ignored. */
export const splitScopes = (text: string): string[] => [...new Set(text.split(' ').filter((name) => name !== ''))];

export const joinScopes = (names: Iterable<string>): string => [...names].join(' ');

/** Scopes as stored: only known names are written. */
export const scopesOf: (stored: string) => readonly Scope[] = remembering((stored) =>
  splitScopes(stored).filter(isScope),
);

const withoutLater = remembering((text) => joinScopes(splitScopes(text).filter((name) => !laterScopes.has(name))));

/** What the operator allows applications at all. */
export function operatorScopes(options: Options): string {
  const text = options.get('OAuth2AllowedScopes');
  return options.get('OAuth2OpenIDConnect') ? text : withoutLater(text);
}

export type AllowedScopes = Pick<ReadonlySet<Scope>, 'has'>;

const allowedOf = remembering((both: string): AllowedScopes => {
  const [own = '', global = ''] = both.split('\n');
  const most = new Set(splitScopes(global));
  const listed = new Set<Scope>(['openid', ...scopesOf(own).filter((name) => most.has(name))]);
  // Narrowing scopes are never removed: otherwise a shorter list would open more.
  return { has: (name) => listed.has(name) || isToolScope(name) };
});

/** What an application may have now: its own list within the operator's, and always `openid`. */
export const allowedNow = (applicationScopes: string, globalScopes: string): AllowedScopes =>
  allowedOf(`${applicationScopes}\n${globalScopes}`);

/** What an application with these scopes can be granted at the moment. */
export const grantableScopes = (registered: string, options: Options): Scope[] =>
  within(registered, allowedNow(registered, operatorScopes(options)));

/** Memoised: the same few texts are parsed on every request, and the result depends on the text alone. */
function remembering<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= 1000) known.clear();
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

/**
 * OpenID Connect Core §11: `offline_access` requests a refresh token. Many libraries send it by default, and every
 * grant has one here, so it is ignored; without OpenID Connect it is unknown.
 */
export const withoutOffline = (options: Options, text: string | undefined): string | undefined =>
  text && options.get('OAuth2OpenIDConnect')
    ? joinScopes(splitScopes(text).filter((name) => name !== 'offline_access'))
    : text;

/** More would not be read before consenting. */
const mostToolScopes = 50;

/** The requested scopes, `openid` first; `invalid_scope` for any that are not allowed (RFC 6749 §4.1.2.1). */
export function requestedScopes(text: string | undefined, allowed: AllowedScopes): Scope[] {
  const names = splitScopes(text ?? '');
  if (names.filter(isToolScope).length > mostToolScopes)
    throw new AppError('invalid_scope', `At most ${mostToolScopes} scopes can refer to tools.`);
  for (const name of names)
    if (!isScope(name) || !allowed.has(name))
      throw new AppError('invalid_scope', `The scope ${JSON.stringify(name)} is not allowed for this application.`);
  return withOpenid(names.filter(isScope));
}

export const withOpenid = (names: Scope[]): Scope[] => (names.includes('openid') ? names : ['openid', ...names]);

/** A narrower request that names no tools keeps the granted tool scopes. */
export const keepingTools = (asked: Scope[], granted: readonly Scope[]): Scope[] =>
  asked.some(isToolScope) ? asked : [...asked, ...granted.filter(isToolScope)];

/** Tools are consented to per resource each time, so consents do not remember them. */
export const withoutTools = (names: readonly Scope[]): Scope[] => names.filter((name) => !isToolScope(name));

/** The part of a grant that is still allowed. */
export const within = (granted: string, allowed: AllowedScopes): Scope[] =>
  scopesOf(granted).filter((name) => allowed.has(name));

/**
 * An application's registered scopes: known names within the operator's list, `openid`, which is always added, and what
 * it is registered with already: the operator's list counts with every use. Tool scopes, as resource metadata shows
 * them, need not be listed.
 */
export function registeredScopes(text: string, globalScopes: string, before = ''): string {
  const most = new Set(['openid', ...splitScopes(globalScopes), ...splitScopes(before)]);
  const names = splitScopes(text).filter((name) => !isToolScope(name));
  if (names.length === 0)
    throw new AppError('invalid_scope', 'scopes: specify at least one scope.', { param: 'scopes' });
  for (const name of names)
    if (!isListed(name) || !most.has(name))
      throw new AppError('invalid_scope', `scopes: ${JSON.stringify(name)} is not a scope of this service.`, {
        param: 'scopes',
      });
  return joinScopes(names);
}
