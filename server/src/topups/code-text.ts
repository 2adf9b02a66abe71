/** Without letters that look like digits (Crockford’s base 32); 32 of them, so that no character is likelier. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 100 bits: nobody guesses one, and a plain hash keeps it as well as any. */
const length = 20;
const groupLength = 5;

export function newCode(): string {
  let code = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) code += letters[byte % letters.length];
  return code;
}

/** As it is shown: in groups, for whoever types it. */
export const shownCode = (code: string): string =>
  Array.from({ length: length / groupLength }, (_, i) => code.slice(i * groupLength, (i + 1) * groupLength)).join('-');

const lookalikes: Record<string, string> = { O: '0', I: '1', L: '1' };

/** Codes that came in from another gateway, which are good for what they were: 128 bits in hexadecimal. */
const foreign = /^[0-9a-f]{32}$/;

/** The code that somebody typed, in whatever case and with whatever between its groups; null for what is none. */
export function readCode(typed: string): string | null {
  const bare = typed.replace(/[\s-]/g, '');
  if (foreign.test(bare.toLowerCase())) return bare.toLowerCase();
  const plain = bare.toUpperCase().replace(/[OIL]/g, (letter) => lookalikes[letter]!);
  return plain.length === length && [...plain].every((letter) => letters.includes(letter)) ? plain : null;
}
