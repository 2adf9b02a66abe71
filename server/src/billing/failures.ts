import { type Clock, nowSeconds } from '../lib/clock.ts';
import { storableText } from '../lib/storable-text.ts';
import type { Db } from '../platform/db/tables.ts';
import { RowBuffer } from '../platform/durable/batch.ts';
import { isUnavailable } from '../platform/durable/errors.ts';
import type { Log } from '../platform/log.ts';
import { insertFailures, type NewFailure } from './store/failures.ts';

/** The error of the last upstream that was tried. Administrators only, since it may name their account there. */
export interface UpstreamWords {
  provider: string;
  channelId: number;
  status?: number | undefined;
  message: string;
}

/** A request that no model answered. */
export interface Failure {
  requestId: string;
  userId: number;
  keyId: number | null;
  modelId: string;
  endpoint: string;
  /** What the caller received. */
  status: number;
  code: string;
  message: string;
  upstream?: UpstreamWords | undefined;
  durationMs: number;
  parentRequestId?: string | undefined;
}

export interface FailureLog {
  note(failure: Failure): void;
  /** Resolves once everything noted so far has been written, or is queued for another attempt. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Names and messages come from outside; some upstreams answer with whole HTML pages. */
const mostName = 256;
const mostWords = 1_000;

const rowOf = (failure: Failure, now: number): NewFailure => ({
  request_id: failure.requestId,
  user_id: failure.userId,
  key_id: failure.keyId ?? 0,
  model_id: storableText(failure.modelId, mostName),
  endpoint: failure.endpoint,
  status: failure.status,
  code: failure.code,
  message: storableText(failure.message, mostWords),
  provider: failure.upstream?.provider ?? null,
  channel_id: failure.upstream?.channelId ?? null,
  upstream_status: failure.upstream?.status ?? null,
  upstream_message: failure.upstream ? storableText(failure.upstream.message, mostWords) : null,
  duration_ms: Math.round(failure.durationMs),
  parent_request_id: failure.parentRequestId ?? null,
  created_at: now,
});

/** Writes failures in the background, so that an error response does not wait for the database. */
export function openFailureLog({ db, clock, log }: { db: Db; clock: Clock; log: Log }): FailureLog {
  const rows = new RowBuffer<NewFailure>({
    everyMs: 500,
    retryMs: 2_000,
    // Small enough not to block SQLite's writer for long.
    atOnce: 100,
    // Bounds memory during an outage of the database or a storm of failures.
    mostWaiting: 5_000,
    write: (batch) => insertFailures(db, batch),
    failed: (error) => {
      log.warn({ error }, 'failed requests could not be recorded');
      return isUnavailable(error);
    },
    lost: (lost) => log.warn({ lost }, 'failed requests were not recorded: there are too many'),
  });
  return {
    note: (failure) => rows.add(rowOf(failure, nowSeconds(clock))),
    flush: () => rows.flush(),
    stop: () => rows.stop(),
  };
}
