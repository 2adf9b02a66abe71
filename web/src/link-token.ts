/** The secret of a link from a mail. It stands behind the #, which is sent to no server, and is not left in the address. */
export function takeLinkToken(): string {
  const token = window.location.hash.slice(1);
  if (token) window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/**
 * The same, kept in this tab alone while somebody logs in, however many pages of whichever provider that takes. In the address of
 * the login page it would reach the server, and its logs.
 */
export function keepLinkToken(name: string): string {
  const token = takeLinkToken();
  if (token !== '') sessionStorage.setItem(name, token);
  return token || (sessionStorage.getItem(name) ?? '');
}

/** It was used, or nobody wants it. */
export const dropLinkToken = (name: string): void => sessionStorage.removeItem(name);
