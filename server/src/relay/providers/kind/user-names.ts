import { sha256Hex } from '../../../lib/hashing.ts';

/** OpenAI's limit, the lowest; Claude Code's names are three times as long. */
const mostLetters = 64;
const opaque = /^[\w-]{1,64}$/;
const phone = /^[\d-]{7,}$/;

/** A name that vendors of OpenAI's format take, the same for the same user. */
export const shortUser = (user: string | undefined): string | undefined =>
  user === undefined || user.length <= mostLetters ? user : sha256Hex(user);

/** Anthropic refuses names that look like an email address or a phone number. */
export const opaqueUser = (user: string): string => (opaque.test(user) && !phone.test(user) ? user : sha256Hex(user));
