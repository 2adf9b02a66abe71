import { AppError } from '../lib/errors.ts';
import { constantTimeEqual } from '../lib/hashing.ts';

export interface Challenge {
  code_challenge: string;
  code_challenge_method: 'S256' | 'plain';
}

/** RFC 7636 §4.1, §4.2: 43-128 of the unreserved characters, for verifier and challenge alike. */
const form = /^[A-Za-z0-9._~-]{43,128}$/;

/** The challenge of an authorization request, or null; required for public clients. */
export function readChallenge(
  given: { code_challenge?: string; code_challenge_method?: string },
  isPublic: boolean,
): Challenge | null {
  const { code_challenge: challenge, code_challenge_method: method } = given;
  if (!challenge) {
    // RFC 7636 §4.4.1: a server that requires PKCE says so by invalid_request.
    if (isPublic) throw new AppError('invalid_request', 'code_challenge is required for public clients.');
    if (method) throw new AppError('invalid_request', 'code_challenge_method requires code_challenge.');
    return null;
  }
  // RFC 7636 §4.3: absent means plain.
  const used = method || 'plain';
  if (used !== 'S256' && used !== 'plain')
    throw new AppError('invalid_request', 'code_challenge_method must be S256 or plain.');
  if (!form.test(challenge))
    throw new AppError('invalid_request', 'code_challenge must be 43-128 characters from A-Z a-z 0-9 - . _ ~');
  return { code_challenge: challenge, code_challenge_method: used };
}

/** Length and alphabet are validated first (RFC 7636 §4.1), whatever the code says. */
export function checkVerifierForm(verifier: string | undefined): void {
  if (verifier !== undefined && !form.test(verifier))
    throw new AppError('invalid_request', 'code_verifier must be 43-128 characters from A-Z a-z 0-9 - . _ ~');
}

/** RFC 7636 §4.6. A verifier without a challenge is refused too: the request was tampered with (RFC 9700 §4.8.2). */
export function verifierMatches(
  stored: { code_challenge: string | null; code_challenge_method: string | null },
  verifier: string | undefined,
): boolean {
  if (stored.code_challenge === null) return verifier === undefined;
  if (verifier === undefined) return false;
  const presented = stored.code_challenge_method === 'S256' ? s256(verifier) : verifier;
  return constantTimeEqual(presented, stored.code_challenge);
}

export const s256 = (verifier: string): string => Bun.SHA256.hash(verifier, 'base64url');
