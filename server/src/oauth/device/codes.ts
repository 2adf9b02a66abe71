import { randomString } from '../../lib/ids.ts';

/** RFC 8628 §3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** The specification leaves both open; these are what its examples suggest. */
export const deviceSeconds = 600;
export const firstInterval = 5;

/** RFC 8628 §6.1: no vowels, so that no word comes out, and nothing that looks like something else. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;
/** Of a byte's values those that favour no letter. */
const fairBelow = 256 - (256 % letters.length);

export const newDeviceCode = (): string => `svcdc_${randomString(48)}`;
export const isDeviceCode = (text: string): boolean => /^svcdc_[0-9A-Za-z]{48}$/.test(text);

/** One of 25,600,000,000: what protects it is that few can be tried. */
export function newUserCode(): string {
  let code = '';
  while (code.length < userCodeLength) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    if (byte! < fairBelow) code += letters[byte! % letters.length];
  }
  return code;
}

/** As people read and type it. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** However it was typed: in small letters, with or without the line between; null for what is none. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '');
  return code.length === userCodeLength && [...code].every((letter) => letters.includes(letter)) ? code : null;
}
