import { takeLinkToken } from '../../link-token.ts';

const name = 'svc-invitation';

/**
 * The secret of the link, kept in this tab alone while somebody logs in, however many pages of whichever provider that
 * takes. In the address of the login page it would reach the server, and its logs.
 */
export function takeInvitation(): string {
  const token = takeLinkToken();
  if (token !== '') sessionStorage.setItem(name, token);
  return token || (sessionStorage.getItem(name) ?? '');
}

/** It was used, or nobody wants it. */
export const dropInvitation = (): void => sessionStorage.removeItem(name);
