import type { Membership } from '../identity/membership.ts';

/** Memberships of users in organisations. */
export interface Memberships {
  of(userId: number): Promise<Membership[]>;
  /** Called on every tool call; synchronous if cached. */
  uses(userId: number, organisationId: number): boolean | Promise<boolean>;
  /** Throws unless the user manages this organisation's servers. */
  managed(userId: number, organisationId: number): Promise<Pick<Membership, 'id' | 'name' | 'accountId'>>;
  /** Registers a listener that is called when a user may have left. */
  onChanged(look: () => void): void;
}
