import type { Candidate } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { Sample } from './window.ts';

/** Why a call did not succeed. */
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
  /** This process ran out of file descriptors or the like; not the upstream's fault. */
  | 'shortage'
  /** This process shut down before the answer was complete. */
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

/** Where one request was routed and why, by reference; converted to a row when it is written. */
export interface Decision {
  requestId: string;
  userId: number;
  modelId: string;
  choice: Choice;
  sort: string | null;
  /** The model that was requested but did not answer, if this one is its fallback. */
  insteadOf?: string | undefined;
  /** Id of the turn or run that made the request. */
  parentRequestId?: string | undefined;
  attempts: readonly AttemptRecord[];
  /** Blocked by their circuits when it was their turn. */
  skipped: readonly Candidate[];
  startedAtMs: number;
  tookMs: number;
}
