/** The secret of a link from a mail. It stands behind the #, which is sent to no server, and is not left in the address. */
export function takeLinkToken(): string {
  const token = window.location.hash.slice(1);
  if (token) window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}
