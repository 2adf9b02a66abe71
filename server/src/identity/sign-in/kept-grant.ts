import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import type { Sealer } from '../../lib/seal.ts';

/** What is kept of a sign-in: by what the provider knows again whom it vouches for. */
export interface KeptGrant {
  idToken: string;
  /** When the ID token runs out. */
  expiresAt: number;
  /** Absent where the provider gave none: then it ends with the ID token. */
  refreshToken?: string | undefined;
  /** Until when somebody is about to renew it; a refresh token that is used twice is taken for a stolen one. */
  heldUntil?: number | undefined;
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Of an answer with an ID token, which the library has looked through. A provider need not give a new refresh token each time. */
export const grantOf = (tokens: Tokens, before?: KeptGrant): KeptGrant => ({
  idToken: tokens.id_token!,
  expiresAt: tokens.claims()!.exp,
  refreshToken: tokens.refresh_token ?? before?.refreshToken,
});

export const sealedGrant = ({ sealer }: { sealer: Sealer }, tokens: Tokens): string =>
  sealer.seal(JSON.stringify(grantOf(tokens)));

/** Null for one that was sealed with a key that is gone: whoever signs in again has another. */
export function openedGrant({ sealer }: { sealer: Sealer }, sealed: string): KeptGrant | null {
  try {
    return JSON.parse(sealer.open(sealed)) as KeptGrant;
  } catch {
    return null;
  }
}
