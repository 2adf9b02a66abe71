import type { Db } from '../platform/db/tables.ts';
import { LastUsed } from '../platform/durable/batch.ts';
import type { Log } from '../platform/log.ts';
import { touchTokens } from './store/tokens.ts';

/** Precision of "last used"; busy tokens would otherwise write a row per call. */
const finestSeconds = 60;

/** When tokens were last used, collected and written off the request path. */
export interface TokensUsed {
  saw(token: { id: number; last_used_at: number | null }, now: number): void;
  stop(): Promise<void>;
}

export function openTokensUsed(deps: { db: Db; log: Log }): TokensUsed {
  const used = new LastUsed(
    (seen) => touchTokens(deps.db, seen),
    (error) => deps.log.warn({ error }, 'last-used times were not written'),
  );
  return {
    saw: (token, now) => {
      if (token.last_used_at === null || now - token.last_used_at >= finestSeconds) used.saw(token.id, now);
    },
    stop: () => used.stop(),
  };
}
