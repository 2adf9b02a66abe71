import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Layout version of sealed text. */
const version = 's1';
export const sealBeginning = `${version}.`;
/** At least as long as nonce and tag. */
const sealedWithin = /s1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{38,}/g;
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** 96 bits, as recommended for GCM (NIST SP 800-38D §5.2.1.1). */
const nonceBytes = 12;
const tagBytes = 16;

export interface SealingKey {
  /** Part of the sealed text, so that old text can still be opened after a rotation. */
  id: string;
  key: Uint8Array;
}

export interface Sealer {
  seal(text: string): string;
  /** Throws `SealError` if the text was modified, or sealed with an unknown key. */
  open(sealed: string): string;
  /** The same text under the first key; unchanged if it already is. */
  reseal(sealed: string): string;
}

/** Why sealed text cannot be opened; never contains any of it. */
export class SealError extends Error {
  override name = 'SealError';
}

/** Sealed elsewhere, or with a retired key. */
export class UnknownKey extends SealError {
  override name = 'UnknownKey';
}

/**
 * Encrypts short secrets at rest with AES-256-GCM: `s1.<key id>.<base64url of nonce, ciphertext, tag>`. The first key
 * seals, all open.
 */
export function openSealer({ keys }: { keys: readonly SealingKey[] }): Sealer {
  const [first] = keys;
  if (!first) throw new SealError('a sealer needs at least one key');
  const byId = new Map(keys.map(({ id, key }) => [id, checkKey(id, key)]));
  if (byId.size !== keys.length) throw new SealError('two sealing keys have the same id');

  const open = (sealed: string): string => {
    const { header, id, body } = parse(sealed);
    const key = byId.get(id);
    if (!key) throw new UnknownKey(`sealed with key "${id}", which is not configured`);
    return decrypt(key, header, body);
  };
  const seal = (text: string): string => encrypt(first.key, `${version}.${first.id}`, text);
  return { seal, open, reseal: (sealed) => (parse(sealed).id === first.id ? sealed : seal(open(sealed))) };
}

/** Null if it cannot be opened, as after its key was lost. */
export function openOrNull({ open }: Pick<Sealer, 'open'>, sealed: string): string | null {
  try {
    return open(sealed);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Reseals all sealed values inside other text. Text that only looks sealed stays as it is. */
export const resealWithin = (text: string, reseal: Sealer['reseal']): string =>
  text.replaceAll(sealedWithin, (found) => openOrNull({ open: reseal }, found) ?? found);

function checkKey(id: string, key: Uint8Array): Uint8Array {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id))
    throw new SealError('a sealing key id must be 1-32 characters from A-Z a-z 0-9 _ -');
  if (key.length !== keyBytes) throw new SealError(`sealing key "${id}" must be ${keyBytes} bytes long`);
  return key;
}

function parse(sealed: string): { header: string; id: string; body: Buffer } {
  const [found, id, text, ...rest] = sealed.split('.');
  if (found !== version || !id || text === undefined || rest.length > 0) throw new SealError('not sealed text');
  const body = Buffer.from(text, 'base64url');
  if (body.length < nonceBytes + tagBytes) throw new SealError('sealed text is too short');
  return { header: `${found}.${id}`, id, body };
}

function encrypt(key: Uint8Array, header: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  // The header is authenticated too, so that sealed text cannot be moved to another key id or version.
  cipher.setAAD(Buffer.from(header));
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${header}.${body.toString('base64url')}`;
}

function decrypt(key: Uint8Array, header: string, body: Buffer): string {
  const decipher = createDecipheriv(algorithm, key, body.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(header));
  decipher.setAuthTag(body.subarray(body.length - tagBytes));
  try {
    const text = decipher.update(body.subarray(nonceBytes, body.length - tagBytes));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw new SealError('sealed text was modified, or was sealed with another key');
  }
}
