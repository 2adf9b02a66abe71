/**
 * A number as people write it: digits, perhaps with a sign and a decimal part. `Number` alone also reads `0x10`, `1e3`
 * and ` 5 `, each more likely a mistake than meant. Null for anything else.
 */
export const plainNumber = (text: string): number | null => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null);
