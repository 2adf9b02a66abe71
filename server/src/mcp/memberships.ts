import type { Membership } from '../identity/membership.ts';

/** Who is in which organisation. */
export interface Memberships {
  of(userId: number): Promise<Membership[]>;
  /** Asked at each call: at once where it is known. */
  uses(userId: number, organisationId: number): boolean | Promise<boolean>;
  /** Throws unless the user looks after the servers of this one. */
  managed(userId: number, organisationId: number): Promise<Pick<Membership, 'id' | 'name' | 'accountId'>>;
  /** Told when somebody may have left. */
  onChanged(look: () => void): void;
}
