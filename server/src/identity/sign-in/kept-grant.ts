import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import type { Sealer } from '../../lib/seal.ts';

/** What is kept of a sign-in, so that the provider can vouch for the user. */
export interface KeptGrant {
  idToken: string;
  /** When the ID token expires. */
  expiresAt: number;
  /** Absent if the provider gave none: then it ends with the ID token. */
  refreshToken?: string | undefined;
  /** Lock of the process renewing it; a refresh token used twice looks stolen. */
  heldUntil?: number | undefined;
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** From an answer with a validated ID token. A provider need not return a new refresh token. */
export const grantOf = (tokens: Tokens, before?: KeptGrant): KeptGrant => ({
  idToken: tokens.id_token!,
  expiresAt: tokens.claims()!.exp,
  refreshToken: tokens.refresh_token ?? before?.refreshToken,
});

export const sealedGrant = ({ sealer }: { sealer: Sealer }, tokens: Tokens): string =>
  sealer.seal(JSON.stringify(grantOf(tokens)));

/** Null if its sealing key is gone: the user has to sign in again. */
export function openedGrant({ sealer }: { sealer: Sealer }, sealed: string): KeptGrant | null {
  try {
    return JSON.parse(sealer.open(sealed)) as KeptGrant;
  } catch {
    return null;
  }
}
