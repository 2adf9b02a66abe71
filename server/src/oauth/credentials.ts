import { base62, fromBase62 } from '../lib/base62.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';

/** Formats of spec §2.1. What does not look like a credential is not looked up. */
export const newClientId = (): string => `svc_${randomString(32)}`;
export const newClientSecret = (): string => `svcsec_${randomString(48)}`;
export const newCode = (): string => randomString(40);
export const newWebhookSecret = (): string => `svcwh_${randomString(48)}`;

export const isCode = (text: string): boolean => /^[0-9A-Za-z]{40}$/.test(text);

export type TokenKind = 'access' | 'refresh';

/** What a token is looked up by: its pair's place, and what is stored of the token itself. */
export interface TokenKey {
  kind: TokenKind;
  place: number;
  hash: string;
}

/** Below this, and times in milliseconds fit until the year 2109. */
const placesPerMs = 2 ** 11;
/** 62^9 is the first power beyond all places. */
const placeLength = 9;

/**
 * A new pair. Both tokens begin with the place of their row, which grows with time: rows made together lie together, and
 * one narrow index finds them. The 39 random characters behind it are 232 bits.
 */
export function newTokens(nowMs: number): { place: number; accessToken: string; refreshToken: string } {
  const place = nowMs * placesPerMs + Math.floor(Math.random() * placesPerMs);
  const start = base62(place, placeLength);
  return {
    place,
    accessToken: `svcat_${start}${randomString(48 - placeLength)}`,
    refreshToken: `svcrt_${start}${randomString(48 - placeLength)}`,
  };
}

const tokenForm = /^svc[ar]t_[0-9A-Za-z]{48}$/;

/** Null for what is no token of ours. */
export function readToken(text: string): TokenKey | null {
  if (!tokenForm.test(text)) return null;
  const place = fromBase62(text.slice(6, 6 + placeLength));
  // Nine characters can say more than a place can be, and a database refuses numbers that are not whole.
  if (place > Number.MAX_SAFE_INTEGER) return null;
  return { kind: text.startsWith('svcat') ? 'access' : 'refresh', place, hash: sha256Hex(text) };
}
