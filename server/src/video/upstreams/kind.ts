import type { Capabilities } from '../capabilities.ts';
import type { VideoRequest } from '../request.ts';

/** Where to ask, with what credential, for which model. */
export interface Target {
  baseUrl: string;
  credential: string;
  modelName: string;
  timeoutMs: number;
}

/** What is ordered; `jobId` lets an upstream recognise a submission that it already has. */
export interface Order {
  jobId: string;
  request: VideoRequest;
  seconds: number;
}

/** A submission as the upstream knows it. */
export interface Submission {
  upstreamId: string;
  pollUrl: string;
  submittedAtMs: number;
}

export interface Progress {
  status: 'pending' | 'in_progress' | 'completed' | 'failed';
  /** 0-100, where the upstream says. */
  percent?: number;
  /** Only when failed. */
  error?: string;
  /** Addresses of the results; empty when there is one at the usual place. */
  urls?: string[];
}

export interface Taken {
  upstreamId: string;
  pollUrl: string;
}

export interface Content {
  type: string;
  bytes: Uint8Array | ReadableStream<Uint8Array>;
}

export interface Io {
  nowMs(): number;
  signal: AbortSignal;
  /** Whether results may be fetched from private addresses; where the channel itself is they always may. */
  allowPrivate: boolean;
}

/** One way of speaking to those who make videos. */
export interface UpstreamKind {
  /** Whether this way of speaking can say all that the request asks. */
  canSay(request: VideoRequest): boolean;
  /** What of a model's abilities it has words for; all of them when absent. */
  narrow?(can: Capabilities): Capabilities;
  /** The size it sends for a resolution or an aspect ratio, where it knows sizes only. */
  sizeOf?(request: Pick<VideoRequest, 'size' | 'resolution' | 'aspect_ratio'>): string | undefined;
  submit(order: Order, target: Target, io: Io): Promise<Taken>;
  /** Videos made since then that may be the answer to this order, oldest first; absent where they cannot be told apart. */
  find?(order: Order, sinceMs: number, target: Target, io: Io): Promise<Taken[]>;
  poll(submission: Submission, target: Target, io: Io): Promise<Progress>;
  /** How many results there are. */
  count(progress: Progress): number;
  fetch(
    index: number,
    order: Order,
    submission: Submission,
    progress: Progress,
    target: Target,
    io: Io,
  ): Promise<Content>;
  /** Best effort; may throw. */
  cancel(submission: Submission, target: Target, io: Io): Promise<void>;
}

/**
 * `caller`: the request is at fault; `busy`: 429; `gone`: the job is not known there; `unusable`: the result cannot be taken,
 * however often it is tried; `shortage`: we had no connection to spare; `failure`: anything else.
 */
export type FaultKind =
  | 'caller'
  | 'busy'
  | 'auth'
  | 'gone'
  | 'timeout'
  | 'connection'
  | 'shortage'
  | 'unusable'
  | 'failure';

export class UpstreamFault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly status?: number,
    readonly retryAfterMs = 0,
  ) {
    super(message);
    this.name = 'UpstreamFault';
  }
}
