import { base62, fromBase62 } from '../lib/base62.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';

/** What does not look like a credential is not looked up. */
export const newClientId = (): string => `svc_${randomString(32)}`;
export const newClientSecret = (): string => `svcsec_${randomString(48)}`;
export const newCode = (): string => randomString(40);
export const newRegistrationToken = (): string => `svcreg_${randomString(48)}`;
export const newWebhookSecret = (): string => `svcwh_${randomString(48)}`;

export const isCode = (text: string): boolean => /^[0-9A-Za-z]{40}$/.test(text);

export type TokenKind = 'access' | 'refresh';

/** What a token is looked up by: its pair's id, and what is stored of the token itself. */
export interface TokenKey {
  kind: TokenKind;
  id: number;
  hash: string;
}

/** Ids of one millisecond; with this many, times fit until the year 2109. */
const idsPerMs = 2 ** 11;
/** 62^9 is the first power beyond all ids. */
const idLength = 9;

/**
 * Numbers pairs by the time, so that rows made together lie together. Random within the millisecond, since other processes
 * number pairs at the same time; never twice the same here.
 */
export function openTokenIds(): (nowMs: number) => number {
  let last = 0;
  return (nowMs) => {
    last = Math.max(last + 1, nowMs * idsPerMs + Math.floor(Math.random() * idsPerMs));
    return last;
  };
}

/** Both tokens of a pair begin with its id. The 39 characters behind it are 232 random bits. */
export function newTokens(id: number): { accessToken: string; refreshToken: string } {
  const start = base62(id, idLength);
  return {
    accessToken: `svcat_${start}${randomString(48 - idLength)}`,
    refreshToken: `svcrt_${start}${randomString(48 - idLength)}`,
  };
}

const tokenForm = /^svc[ar]t_[0-9A-Za-z]{48}$/;

/** Null for what is no token of ours. */
export function readToken(text: string): TokenKey | null {
  if (!tokenForm.test(text)) return null;
  const id = fromBase62(text.slice(6, 6 + idLength));
  // Nine characters can say more than an id can be, and a database refuses numbers that are not whole.
  if (id > Number.MAX_SAFE_INTEGER) return null;
  return { kind: text.startsWith('svcat') ? 'access' : 'refresh', id, hash: sha256Hex(text) };
}
