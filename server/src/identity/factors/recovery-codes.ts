import { sha256Hex } from '../../lib/hashing.ts';

const howMany = 10;
/** Thirty-two unambiguous characters: five bits each, so 80 bits per code. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
const length = 16;

const drawCode = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte & 31]!)
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

export const drawRecoveryCodes = (): string[] => Array.from({ length: howMany }, drawCode);

/** Normalised. Eighty random bits need no slow hash. */
export const hashOfRecoveryCode = (code: string): string => sha256Hex(code.toLowerCase().replace(/[\s-]/g, ''));
