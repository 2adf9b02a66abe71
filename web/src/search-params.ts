/**
 * The router's default search format parses `?state=123` as a number and rewrites it. Here all values stay strings, and
 * a repeated name becomes a list (the OAuth page must see repeated parameters to reject them).
 */
export type Search = Record<string, string | string[]>;

export function parseSearch(text: string): Search {
  // A map, since objects inherit names such as `constructor`.
  const search = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = search.get(name);
    search.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(search);
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null) params.append(name, String(one));
    }
  }
  const text = params.toString();
  return text ? `?${text}` : '';
}

/** Where to go after login: a path on this origin, else home. Anything else would be an open redirect. */
export function safeNext(next: unknown, origin: string): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, origin)) return '/';
  const url = new URL(next, origin);
  // `/.//host` normalises to `//host`, which browsers resolve to another origin.
  if (url.origin !== origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
