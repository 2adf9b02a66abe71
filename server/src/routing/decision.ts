import type { Candidate } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { Sample } from './window.ts';

/** Why a call was no success. */
export type Cause =
  | 'connection'
  | 'timeout'
  | 'server_error'
  | 'malformed'
  | 'truncated'
  | 'rate_limited'
  | 'refused'
  | 'unauthorized'
  | 'client_left'
  /** Of descriptors and the like, here: nothing to do with the upstream. */
  | 'shortage'
  /** This process ended before the answer did. */
  | 'stopping';

export interface AttemptRecord {
  candidate: Candidate;
  outcome: Sample['outcome'];
  cause?: Cause;
  /** The upstream's HTTP status. */
  status?: number;
  latencyMs: number;
  ttftMs?: number;
}

/** Where one request went and why, as references; turned into a row when it is written. */
export interface Decision {
  requestId: string;
  userId: number;
  modelId: string;
  choice: Choice;
  sort: string | null;
  /** The model in whose place this one was asked, as that did not answer. */
  insteadOf?: string | undefined;
  /** Of the turn or run that made the request. */
  parentRequestId?: string | undefined;
  attempts: readonly AttemptRecord[];
  /** Blocked by their circuits when their turn came. */
  skipped: readonly Candidate[];
  startedAtMs: number;
  tookMs: number;
}
