import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { maybeJson } from '../lib/maybe-json.ts';
import { openOrNull, type Sealer } from '../lib/seal.ts';

/** Prefix, as OpenAI's. */
export const clientSecretStart = 'ek_';
/** Distinguishes it from other values sealed with the same key. */
const head = 'client secret:';
/** It is sent in a header, whose length servers limit. */
const mostLength = 6_000;

interface Inside {
  /** Digest of the key it represents. */
  key: string;
  expiresAt: number;
  about: unknown;
}

/** Short-lived substitutes for API keys, safe to give to a browser: self-contained and sealed. */
export interface ClientSecrets {
  /** `about` is returned when it is read. */
  issue(key: string, seconds: number, about: unknown): { value: string; expiresAt: number };
  /** Throws `invalid_api_key` if it was not issued here or has expired; connections opened before may stay. */
  read(value: string, again?: boolean): Inside;
}

export function openClientSecrets({ sealer, clock }: { sealer: Sealer; clock: Clock }): ClientSecrets {
  return {
    issue: (key, seconds, about) => {
      const expiresAt = nowSeconds(clock) + seconds;
      const inside: Inside = { key: sha256Hex(key), expiresAt, about };
      const packed = Buffer.from(Bun.deflateSync(Buffer.from(JSON.stringify(inside)))).toString('base64');
      const value = clientSecretStart + sealer.seal(head + packed);
      if (value.length > mostLength)
        throw new AppError('invalid_value', 'This is too long for a client secret. Send it with `session.update`.', {
          param: 'session',
        });
      return { value, expiresAt };
    },
    read: (value, again = false) => {
      const inside = opened(sealer, value.slice(clientSecretStart.length));
      if (!inside) throw new AppError('invalid_api_key', 'Incorrect client secret provided.');
      if (!again && inside.expiresAt <= nowSeconds(clock))
        throw new AppError('invalid_api_key', 'This client secret has expired. Create a new one.');
      return inside;
    },
  };
}

function opened(sealer: Sealer, sealed: string): Inside | null {
  const text = openOrNull(sealer, sealed);
  if (!text?.startsWith(head)) return null;
  const packed = Buffer.from(text.slice(head.length), 'base64');
  // Sealed under this name by the function above.
  return maybeJson(Buffer.from(Bun.inflateSync(packed)).toString()) as Inside;
}
