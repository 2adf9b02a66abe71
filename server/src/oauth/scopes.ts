import type { Options } from '../identity/options.ts';
import { AppError } from '../lib/errors.ts';

/** Every scope with the words a person reads before agreeing. */
export const scopeTable = {
  openid: 'See your basic account information: username, display name, picture and role',
  email: 'See your email address',
  profile: 'See your group and when you joined, and change your display name and picture',
  'tokens:read': 'List your API tokens',
  'tokens:write': 'Create and delete API tokens for you',
  'usage:read': 'See your balance and usage',
  'models:use':
    'Use models in your name and pay with your balance, up to a limit that you set; see files, responses and videos of yours',
} as const;

export type Scope = keyof typeof scopeTable;
export const allScopes = Object.keys(scopeTable) as Scope[];
/** Those that are there only while OpenID Connect is turned on. */
const laterScopes: ReadonlySet<string> = new Set<Scope>(['models:use']);
export const firstScopes = allScopes.filter((name) => !laterScopes.has(name));

export const isScope = (name: string): name is Scope => Object.hasOwn(scopeTable, name);

/** RFC 6749 §3.3: space-separated, order without meaning, so repeats say nothing. */
export const splitScopes = (text: string): string[] => [...new Set(text.split(' ').filter((name) => name !== ''))];

export const joinScopes = (names: Iterable<string>): string => [...names].join(' ');

/** Scopes as stored, where only known names are written. */
export const scopesOf: (stored: string) => readonly Scope[] = remembering((stored) =>
  splitScopes(stored).filter(isScope),
);

const withoutLater = remembering((text) => joinScopes(splitScopes(text).filter((name) => !laterScopes.has(name))));

/** What the operator lets applications have at all. */
export function operatorScopes(options: Options): string {
  const text = options.get('OAuth2AllowedScopes');
  return options.get('OAuth2OpenIDConnect') ? text : withoutLater(text);
}

const allowedOf = remembering((both: string): ReadonlySet<Scope> => {
  const [own = '', global = ''] = both.split('\n');
  const most = new Set(splitScopes(global));
  return new Set<Scope>(['openid', ...scopesOf(own).filter((name) => most.has(name))]);
});

/** What an application may have now: its own list within the operator's, and `openid` always. */
export const allowedNow = (applicationScopes: string, globalScopes: string): ReadonlySet<Scope> =>
  allowedOf(`${applicationScopes}\n${globalScopes}`);

/** The same few texts are read on every request. What follows from the text alone never grows stale. */
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

/** A request's scopes, `openid` first; `invalid_scope` for any beyond what is allowed (RFC 6749 §4.1.2.1). */
export function requestedScopes(text: string | undefined, allowed: ReadonlySet<Scope>): Scope[] {
  const names = splitScopes(text ?? '');
  for (const name of names)
    if (!isScope(name) || !allowed.has(name))
      throw new AppError('invalid_scope', `The scope ${JSON.stringify(name)} is not allowed for this application.`);
  return withOpenid(names.filter(isScope));
}

export const withOpenid = (names: Scope[]): Scope[] => (names.includes('openid') ? names : ['openid', ...names]);

/** What of a grant is still allowed. */
export const within = (granted: string, allowed: ReadonlySet<Scope>): Scope[] =>
  scopesOf(granted).filter((name) => allowed.has(name));

/** An application's own list as registered: known names within the operator's list. */
export function registeredScopes(text: string, globalScopes: string): string {
  const most = new Set(splitScopes(globalScopes));
  const names = splitScopes(text);
  if (names.length === 0) throw new AppError('invalid_scope', 'scopes: name at least one scope.', { param: 'scopes' });
  for (const name of names)
    if (!isScope(name) || !most.has(name))
      throw new AppError('invalid_scope', `scopes: ${JSON.stringify(name)} is not a scope of this service.`, {
        param: 'scopes',
      });
  return joinScopes(names);
}
