import { type Sealer, UnknownKey } from '../../lib/seal.ts';
import { type Seals, sealMark } from '../wire/responses/thoughts.ts';
import type { Owner } from './keeper.ts';

/**
 * For `encrypted_content` of reasoning items. Includes kind and owner: other data is sealed with the same key, and a
 * model must not read one user's reasoning out to another.
 */
export function sealsOf(sealer: Sealer, { userId }: Owner): Seals {
  const head = `reasoning:${userId}:`;
  return {
    seal: (text) => `${sealMark}${sealer.seal(`${head}${text}`)}`,
    open: (sealed) => {
      if (!sealed.startsWith(sealMark)) return null;
      try {
        const text = sealer.open(sealed.slice(sealMark.length));
        return text.startsWith(head) ? text.slice(head.length) : null;
      } catch (error) {
        if (error instanceof UnknownKey) return null;
        throw error;
      }
    },
  };
}
