import { table } from '../lib/table.ts';

/** Crockford's base 32, without letters that look like digits. 32 characters, so that all are equally likely. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 100 bits: impossible to guess, so a plain hash is enough to store it. */
const length = 20;
const groupLength = 5;

export function newCode(): string {
  let code = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) code += letters[byte % letters.length];
  return code;
}

/** As displayed: in groups, to be typed easily. */
export const shownCode = (code: string): string =>
  Array.from({ length: length / groupLength }, (_, i) => code.slice(i * groupLength, (i + 1) * groupLength)).join('-');

const lookalikes = table<string>({ O: '0', I: '1', L: '1' });

/** Codes imported from another gateway, which stay valid: 128 bits in hexadecimal. */
const foreign = /^[0-9a-f]{32}$/;

/** Normalises a typed code, ignoring case and separators; null if it is not a code. */
export function readCode(typed: string): string | null {
  const bare = typed.replace(/[\s-]/g, '');
  if (foreign.test(bare.toLowerCase())) return bare.toLowerCase();
  const plain = bare.toUpperCase().replace(/[OIL]/g, (letter) => lookalikes[letter]!);
  return plain.length === length && [...plain].every((letter) => letters.includes(letter)) ? plain : null;
}
