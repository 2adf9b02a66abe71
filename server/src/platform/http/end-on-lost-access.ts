import { AppError } from '../../lib/errors.ts';

const lookMs = 2_000;

/**
 * For answers that may last for days: ends one once `look` throws or rejects, because the caller has lost access. The
 * returned function stops the checks.
 */
export function endOnLostAccess(look: () => unknown, end: () => void): () => void {
  let timer: Timer | undefined;
  const lookLater = () => {
    timer = setTimeout(async () => {
      try {
        await look();
      } catch (error) {
        // If access cannot be determined, it is checked again later.
        if (error instanceof AppError && error.status < 500) return end();
      }
      if (timer) lookLater();
    }, lookMs);
  };
  lookLater();
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}
