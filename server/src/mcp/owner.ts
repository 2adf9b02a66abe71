import { factorRequired } from '../identity/factors/required.ts';
import type { SessionPrincipal } from '../identity/principals.ts';
import { roles } from '../identity/user.ts';
import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';

declare module '../platform/http/route.ts' {
  interface Principals {
    /** Administrators, and users where these may connect servers of their own. */
    mcpOwner: SessionPrincipal;
  }
}

export interface OwnerWays {
  session(call: Call): SessionPrincipal | Promise<SessionPrincipal>;
  usersMay(): boolean;
}

const isAdministrator = ({ user }: Pick<SessionPrincipal, 'user'>): boolean => user.role >= roles.administrator;

export const ownerAuthenticator =
  ({ session, usersMay }: OwnerWays) =>
  async (call: Call): Promise<SessionPrincipal> => {
    const principal = await session(call);
    if (isAdministrator(principal) && !principal.administers) throw factorRequired();
    if (!isAdministrator(principal) && !usersMay()) throw new AppError('forbidden', 'Only administrators may do this.');
    return principal;
  };

/** Whose servers one may look after: null for everybody's. What an administrator connects is the operator's. */
export const reachOf = (principal: Pick<SessionPrincipal, 'user'>): number | null =>
  isAdministrator(principal) ? null : principal.user.id;
