import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Names the layout of sealed text, so that a later layout can be told apart. */
const version = 's1';
export const sealBeginning = `${version}.`;
/** As much as nonce and tag take, at the least. */
const sealedWithin = /s1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{38,}/g;
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** 96 bits, the length GCM is made for (NIST SP 800-38D §5.2.1.1). */
const nonceBytes = 12;
const tagBytes = 16;

export interface SealingKey {
  /** Stands in the sealed text, so that old text is still opened after a new key came first. */
  id: string;
  key: Uint8Array;
}

export interface Sealer {
  seal(text: string): string;
  /** Throws `SealError` when the text was changed, or sealed with a key that is not here. */
  open(sealed: string): string;
  /** The same text under the first key; text already under it is returned as it is. */
  reseal(sealed: string): string;
}

/** Says why sealed text cannot be read; never holds any of it. */
export class SealError extends Error {
  override name = 'SealError';
}

/** It was sealed somewhere else, or before a key was taken out of service. */
export class UnknownKey extends SealError {
  override name = 'UnknownKey';
}

/** Encrypts short secrets at rest with AES-256-GCM: `s1.<key id>.<base64url of nonce, ciphertext, tag>`. The first key seals, all open. */
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

/** Other text with what is sealed in it put under the first key. People write what only looks sealed: that stays as it is. */
export const resealWithin = (text: string, reseal: Sealer['reseal']): string =>
  text.replaceAll(sealedWithin, (found) => {
    try {
      return reseal(found);
    } catch (error) {
      if (error instanceof SealError) return found;
      throw error;
    }
  });

function checkKey(id: string, key: Uint8Array): Uint8Array {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id)) throw new SealError('a sealing key id is 1-32 of A-Z a-z 0-9 _ -');
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
  // The header is authenticated too: a sealed text cannot be moved to another key id or version.
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
    throw new SealError('sealed text was changed, or its key is not the one it was sealed with');
  }
}
