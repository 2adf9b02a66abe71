/** An organisation that a user is in. */
export interface Membership {
  id: number;
  name: string;
  /** The user that stands for the organisation, and owns its servers. */
  accountId: number;
  /** Whether they use its servers, and whether they look after them. */
  uses: boolean;
  manages: boolean;
}

/** Who is in which organisation. */
export interface Memberships {
  of(userId: number): Promise<Membership[]>;
  /** Asked at each call: at once where it is known. */
  uses(userId: number, organisationId: number): boolean | Promise<boolean>;
  /** Throws unless the user looks after the servers of this one. */
  managed(userId: number, organisationId: number): Promise<Membership>;
  /** Told when somebody may have left. */
  onChanged(look: () => void): void;
}
