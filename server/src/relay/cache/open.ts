import type { Options } from '../../identity/options.ts';
import { type Clock, nowSeconds } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Log } from '../../platform/log.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { KeptAnswer } from './kept-answer.ts';
import { BoundedTexts } from './memory.ts';

export interface AnswerCacheDeps {
  shared: Pick<Shared, 'kind' | 'get' | 'set' | 'delete' | 'increment'>;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  options: Pick<Options, 'get'>;
}

export interface AnswerCache {
  /** Whether answers paid for by one user are served to others. */
  acrossUsers(): boolean;
  /** The answer under a key, if it is not older than that; else null. */
  find(name: string, mostSeconds: number): Promise<KeptAnswer | null>;
  /** Off the request's path. */
  keep(name: string, userId: number, kept: KeptAnswer, seconds: number): void;
}

/** Longer answers are rare, and each would evict a hundred others. */
const longestText = 256 * 1024;
const dayMs = 86_400_000;

/**
 * Never on disk: an answer is worth little after a day, and prompts are confidential. A single process keeps answers in
 * memory; several share them in Redis, sealed.
 */
export function openAnswerCache(deps: AnswerCacheDeps): AnswerCache {
  const { clock, log, options, shared } = deps;
  const mostBytes = () => options.get('ResponseCacheMebibytes') * 1024 * 1024;
  const texts = shared.kind === 'memory' ? inMemory(clock, mostBytes) : inRedis(deps, mostBytes);
  return {
    acrossUsers: () => options.get('ResponseCacheAcrossUsers'),
    find: async (name, mostSeconds) => {
      try {
        const text = await texts.get(name);
        if (text === null) return null;
        const kept = JSON.parse(text) as KeptAnswer;
        return nowSeconds(clock) - kept.at <= mostSeconds ? kept : null;
      } catch (error) {
        // Redis or the sealing key is unavailable: ask the model.
        log.debug({ error }, 'could not read cached answers');
        return null;
      }
    },
    keep: (name, userId, kept, seconds) => {
      const text = JSON.stringify(kept);
      if (text.length > longestText || mostBytes() === 0) return;
      void texts
        .set(name, userId, text, seconds * 1000)
        .catch((error) => log.debug({ error }, 'could not cache an answer'));
    },
  };
}

interface Texts {
  get(name: string): Promise<string | null>;
  set(name: string, userId: number, text: string, ttlMs: number): Promise<void>;
}

function inMemory(clock: Clock, mostBytes: () => number): Texts {
  const texts = new BoundedTexts(clock, mostBytes);
  return {
    get: async (name) => texts.get(name),
    set: async (name, _userId, text, ttlMs) => texts.set(name, text, ttlMs),
  };
}

/** Redis evicts expired entries. A daily count per user keeps one user from filling it. */
function inRedis({ shared, sealer, clock }: AnswerCacheDeps, mostBytes: () => number): Texts {
  return {
    get: async (name) => {
      if (mostBytes() === 0) return null;
      const sealed = await shared.get(`answer:${name}`);
      return sealed === null ? null : sealer.open(sealed);
    },
    set: async (name, userId, text, ttlMs) => {
      const sealed = sealer.seal(text);
      const day = Math.floor(clock.nowMs() / dayMs);
      // Sent in one pipeline, so that the next request through this process finds it.
      const [sum] = await Promise.all([
        shared.increment(`answer-bytes:${userId}:${day}`, sealed.length, 2 * dayMs),
        shared.set(`answer:${name}`, sealed, ttlMs),
      ]);
      if (sum > mostBytes()) await shared.delete(`answer:${name}`);
    },
  };
}
