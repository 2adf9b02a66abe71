import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import { touchTokens } from './store/tokens.ts';

/** Minutes are enough for "last used", and busy tokens would otherwise write a row per call. */
const finestSeconds = 60;
const flushMs = 5_000;

/** When tokens were last used, gathered and written off the request's path. */
export interface LastUsed {
  saw(token: { id: number; last_used_at: number | null }, now: number): void;
  stop(): Promise<void>;
}

export function openLastUsed(deps: { db: Db; log: Log }): LastUsed {
  let seen = new Map<number, number>();
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    const rows = [...seen];
    seen = new Map();
    await touchTokens(deps.db, rows);
  };
  const flush = (): Promise<void> => {
    if (seen.size > 0)
      writing = writing.then(write).catch((error) => deps.log.warn({ error }, 'times of last use were not written'));
    return writing;
  };
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref?.();

  return {
    saw: (token, now) => {
      if (token.last_used_at === null || now - token.last_used_at >= finestSeconds) seen.set(token.id, now);
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
