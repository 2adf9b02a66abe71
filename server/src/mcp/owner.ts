import { factorRequired } from '../identity/factors/required.ts';
import type { SessionPrincipal } from '../identity/principals.ts';
import { roles } from '../identity/user.ts';
import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import type { McpContext } from './context.ts';

declare module '../platform/http/route.ts' {
  interface Principals {
    /** Administrators, and users if they may connect servers, for themselves or for their organisations. */
    mcpOwner: SessionPrincipal;
  }
}

export interface OwnerAuthDeps {
  session(call: Call): SessionPrincipal | Promise<SessionPrincipal>;
  usersMay(): boolean;
}

export const isAdministrator = ({ user }: Pick<SessionPrincipal, 'user'>): boolean => user.role >= roles.administrator;

export const ownerAuthenticator =
  ({ session, usersMay }: OwnerAuthDeps) =>
  async (call: Call): Promise<SessionPrincipal> => {
    const principal = await session(call);
    if (isAdministrator(principal) && !principal.administers) throw factorRequired();
    if (!isAdministrator(principal) && !usersMay()) throw new AppError('forbidden', 'Only administrators may do this.');
    return principal;
  };

type By = Pick<SessionPrincipal, 'user'>;

/** The owners whose servers the user may manage: the user and the organisations that they manage; null for all. */
export async function manageableOwners(
  { memberships }: Pick<McpContext, 'memberships'>,
  by: By,
): Promise<number[] | null> {
  if (isAdministrator(by)) return null;
  const all = await memberships.of(by.user.id);
  return [by.user.id, ...all.flatMap(({ manages, accountId }) => (manages ? [accountId] : []))];
}

/** The owner of a server connected without an organisation: null, the operator, if an administrator connects it. */
export const ownerFor = (by: By): number | null => (isAdministrator(by) ? null : by.user.id);
