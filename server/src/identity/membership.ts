/** A user's organisation, for rooms that store something for organisations. */
export interface Membership {
  id: number;
  name: string;
  /** The user that represents the organisation and owns its data. */
  accountId: number;
  /** Whether the member may use, and may manage, what the organisation has. */
  uses: boolean;
  manages: boolean;
}
