/** Takes the secret of a mailed link out of the URL fragment, which browsers never send to servers. */
function takeLinkToken(): string {
  const token = window.location.hash.slice(1);
  if (token) window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/**
 * Like `takeLinkToken`, but keeps the secret in this tab's session storage: for a reload, as in another language, and
 * during login, which may lead through several pages of an identity provider. In the login page's URL it would reach
 * the server and its logs.
 */
export function keepLinkToken(name: string): string {
  const token = takeLinkToken();
  if (token !== '') sessionStorage.setItem(name, token);
  return token || (sessionStorage.getItem(name) ?? '');
}

/** Call once the token is used or declined. */
export const dropLinkToken = (name: string): void => sessionStorage.removeItem(name);
