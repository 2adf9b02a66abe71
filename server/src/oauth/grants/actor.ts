/** RFC 8693 §2.1. */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Who acts for whom: the last to exchange outside, whoever it acted for within (RFC 8693 §4.1). */
export interface Actor {
  /** A user, where an actor token showed one, else the client itself. */
  sub: string;
  client_id: string;
  act?: Actor;
}

/** Longer chains are nobody's plan: each link is somebody else who holds the user's rights. */
export const longestChain = 3;

export const chainLength = (actor: Actor | undefined): number => (actor ? 1 + chainLength(actor.act) : 0);
