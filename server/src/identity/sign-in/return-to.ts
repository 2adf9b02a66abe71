/** The final page: one of ours, else the home page. Anything else would be an open redirect. */
export function safeReturnTo(given: string | undefined, webUrl: string): string {
  if (!given?.startsWith('/') || given.length > 2_000) return '/';
  const { origin } = new URL(webUrl);
  const url = URL.parse(given, origin);
  // `/.//host` normalises to `//host`, another origin; the API has no pages.
  if (!url || url.origin !== origin || /^\/(\/|(api|v1|v1beta)(\/|$))/.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}

/** The page of an authorization request that waits for a new login. */
export const isLoginAgain = (returnTo: string): boolean =>
  returnTo.startsWith('/oauth2/authorize?') && URL.parse(returnTo, 'http://svc')!.searchParams.has('signed_in_after');
