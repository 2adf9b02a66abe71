import { base62, fromBase62 } from '../lib/base62.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';

/** Anything that does not look like a credential is not looked up. */
export const newClientId = (): string => `svc_${randomString(32)}`;
export const newClientSecret = (): string => `svcsec_${randomString(48)}`;
export const newCode = (): string => randomString(40);
export const newRegistrationToken = (): string => `svcreg_${randomString(48)}`;
export const newWebhookSecret = (): string => `svcwh_${randomString(48)}`;

export const isCode = (text: string): boolean => /^[0-9A-Za-z]{40}$/.test(text);

export type TokenKind = 'access' | 'refresh';

/** A token's lookup key: its pair's id, and the stored hash. */
export interface TokenKey {
  kind: TokenKind;
  id: number;
  hash: string;
}

/** Ids per millisecond; with this many, timestamps fit until the year 2109. */
const idsPerMs = 2 ** 11;
/** 62^9 exceeds all ids. */
const idLength = 9;

/**
 * Time-ordered pair ids, so that rows made together are stored together. Random within the millisecond, since other
 * processes create ids at the same time; unique within this one.
 */
export function openTokenIds(): (nowMs: number) => number {
  let last = 0;
  return (nowMs) => {
    last = Math.max(last + 1, nowMs * idsPerMs + Math.floor(Math.random() * idsPerMs));
    return last;
  };
}

/** Both tokens of a pair start with its id, followed by 39 characters with 232 random bits. */
export function newTokens(id: number): { accessToken: string; refreshToken: string } {
  const start = base62(id, idLength);
  return {
    accessToken: `svcat_${start}${randomString(48 - idLength)}`,
    refreshToken: `svcrt_${start}${randomString(48 - idLength)}`,
  };
}

const tokenForm = /^svc[ar]t_[0-9A-Za-z]{48}$/;

/** Null if it is not one of our tokens. */
export function readToken(text: string): TokenKey | null {
  if (!tokenForm.test(text)) return null;
  const id = fromBase62(text.slice(6, 6 + idLength));
  // Nine characters can exceed an id, and the database refuses inexact numbers.
  if (id > Number.MAX_SAFE_INTEGER) return null;
  return { kind: text.startsWith('svcat') ? 'access' : 'refresh', id, hash: sha256Hex(text) };
}
