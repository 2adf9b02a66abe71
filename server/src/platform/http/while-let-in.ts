import { AppError } from '../../lib/errors.ts';

const lookMs = 2_000;

/**
 * For an answer that may go on for days: ends it once `look` throws, or rejects, since whoever asked would be let in no more. To be
 * stopped by what is given back.
 */
export function whileLetIn(look: () => unknown, end: () => void): () => void {
  let timer: Timer | undefined;
  const lookLater = () => {
    timer = setTimeout(async () => {
      try {
        await look();
      } catch (error) {
        // Where nobody can say, it is looked again.
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
