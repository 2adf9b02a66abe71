import { randomString } from '../../lib/ids.ts';

/** RFC 8628 §3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Left open by the specification; as its examples suggest. */
export const deviceSeconds = 600;
export const firstInterval = 5;

/** RFC 8628 §6.1: no vowels, so that no words result, and no lookalikes. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;
/** Rejects bytes that would bias the letters. */
const fairBelow = 256 - (256 % letters.length);

export const newDeviceCode = (): string => `svcdc_${randomString(48)}`;
export const isDeviceCode = (text: string): boolean => /^svcdc_[0-9A-Za-z]{48}$/.test(text);

/** One of 25,600,000,000: protected by limiting attempts. */
export function newUserCode(): string {
  let code = '';
  while (code.length < userCodeLength) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    if (byte! < fairBelow) code += letters[byte! % letters.length];
  }
  return code;
}

/** In the form people read and type. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** In lower case, with or without the hyphen; null if it is no code. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '');
  return code.length === userCodeLength && [...code].every((letter) => letters.includes(letter)) ? code : null;
}
