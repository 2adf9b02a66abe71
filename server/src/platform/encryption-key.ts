import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key, and one being rotated in. That can open too, since a crash may leave some secrets sealed with it. */
export const keyFiles = ['encryption.key', 'encryption.key.new'] as const;
export const keyFile = (folder: string): string => join(folder, keyFiles[0]);
const next = (folder: string): string => join(folder, keyFiles[1]);

/** Generates a key on first use, in a file that only its owner can read. */
export function ensureKey(folder: string): void {
  try {
    // Exclusive: of two processes that start together, one writes and the other reads the result.
    writeFileSync(keyFile(folder), drawKey(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
}

/** The configured key, else the one in the file; the first seals. */
export function encryptionKeys(configured: string | undefined, folder: string): Uint8Array[] {
  if (configured) return [Buffer.from(configured, 'hex')];
  const keys = existsSync(keyFile(folder)) ? [readKey(keyFile(folder))] : [];
  if (hasNext(folder)) keys.push(readKey(next(folder)));
  return keys;
}

/** Generates the next key, or returns the one of an unfinished rotation. */
export function writeNewKey(folder: string): Uint8Array {
  if (!hasNext(folder)) {
    rmSync(next(folder), { force: true });
    writeFileSync(next(folder), drawKey(), { flag: 'wx', mode: 0o600 });
  }
  return readKey(next(folder));
}

/** On a full disk the file is made, but stays empty: nothing was encrypted with such a key. */
const hasNext = (folder: string): boolean => (statSync(next(folder), { throwIfNoEntry: false })?.size ?? 0) > 0;

export const adoptNewKey = (folder: string): void => renameSync(next(folder), keyFile(folder));

const drawKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');

function readKey(file: string): Uint8Array {
  const hex = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw new Error(`${file} does not contain an encryption key of 64 hexadecimal digits.`);
  return Buffer.from(hex, 'hex');
}
