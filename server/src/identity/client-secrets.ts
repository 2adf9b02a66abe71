import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { maybeJson } from '../lib/maybe-json.ts';
import { SealError, type Sealer } from '../lib/seal.ts';

/** How they begin, as OpenAI's do. */
export const clientSecretStart = 'ek_';
/** Other things are sealed with the same key. */
const head = 'client secret:';
/** It travels in a header, and no server takes headers of any length. */
const mostLength = 6_000;

interface Inside {
  /** Digest of the key that it stands for. */
  key: string;
  expiresAt: number;
  about: unknown;
}

/** Short-lived stand-ins for API keys, which may be shown to a browser: all that they are stands in them, sealed. */
export interface ClientSecrets {
  /** What it is `about` comes back with it. */
  issue(key: string, seconds: number, about: unknown): { value: string; expiresAt: number };
  /** Throws `invalid_api_key` for what was not issued here, or has run out; who came in before it did may stay. */
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
        throw new AppError('invalid_value', 'That is too long for a client secret. Send it with `session.update`.', {
          param: 'session',
        });
      return { value, expiresAt };
    },
    read: (value, again = false) => {
      const inside = opened(sealer, value.slice(clientSecretStart.length));
      if (!inside) throw new AppError('invalid_api_key', 'Incorrect client secret provided.');
      if (!again && inside.expiresAt <= nowSeconds(clock))
        throw new AppError('invalid_api_key', 'This client secret has expired. Make another one.');
      return inside;
    },
  };
}

function opened(sealer: Sealer, sealed: string): Inside | null {
  try {
    const text = sealer.open(sealed);
    if (!text.startsWith(head)) return null;
    const packed = Buffer.from(text.slice(head.length), 'base64');
    // What is sealed under this name was written above.
    return maybeJson(Buffer.from(Bun.inflateSync(packed)).toString()) as Inside;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
