/** An organisation that somebody is in, as rooms see it that keep something for organisations. */
export interface Membership {
  id: number;
  name: string;
  /** The user that stands for the organisation, and has what is the organisation's. */
  accountId: number;
  /** Whether they use what is the organisation's, and whether they look after it. */
  uses: boolean;
  manages: boolean;
}
