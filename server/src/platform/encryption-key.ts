import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key from the configuration, else from a file that only its owner can read, made on first use. */
export function encryptionKey(configured: string | undefined, folder: string): Uint8Array {
  if (configured) return Buffer.from(configured, 'hex');
  const file = join(folder, 'encryption.key');
  try {
    // Exclusive: of two processes that start together one writes, the other reads what it wrote.
    const hex = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
    writeFileSync(file, hex, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  const hex = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw new Error(`${file} does not hold an encryption key of 64 hexadecimal digits.`);
  return Buffer.from(hex, 'hex');
}
