/** RFC 8693 §2.1. */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Who acts for whom: the last actor outermost, previous ones nested (RFC 8693 §4.1). */
export interface Actor {
  /** The user of the actor token, or the client itself. */
  sub: string;
  client_id: string;
  act?: Actor;
}

/** Each link is another party with the user's rights; longer chains are not plausible. */
export const longestChain = 3;

export const chainLength = (actor: Actor | undefined): number => (actor ? 1 + chainLength(actor.act) : 0);
