import type { Capabilities } from '../capabilities.ts';
import type { VideoRequest } from '../request.ts';

/** Address, credential and model. */
export interface Target {
  baseUrl: string;
  credential: string;
  modelName: string;
  timeoutMs: number;
}

/** The order; `jobId` lets an upstream recognise a repeated submission. */
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
  /** 0–100, if the upstream reports it. */
  percent?: number;
  /** Only if failed. */
  error?: string;
  /** Result URLs; empty if there is one at the default place. */
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
  /** Whether results may be fetched from private addresses; the channel's own host always may. */
  allowPrivate: boolean;
}

/** An API of video providers. */
export interface UpstreamKind {
  /** Whether this API can express the whole request. */
  canSay(request: VideoRequest): boolean;
  /** The part of a model's capabilities it can express; all if absent. */
  narrow?(can: Capabilities): Capabilities;
  /** The size it sends for a resolution or aspect ratio, if it only knows sizes. */
  sizeOf?(request: Pick<VideoRequest, 'size' | 'resolution' | 'aspect_ratio'>): string | undefined;
  submit(order: Order, target: Target, io: Io): Promise<Taken>;
  /** Videos made since then that may result from this order, oldest first; absent if they cannot be told apart. */
  find?(order: Order, sinceMs: number, target: Target, io: Io): Promise<Taken[]>;
  poll(submission: Submission, target: Target, io: Io): Promise<Progress>;
  /** Number of results. */
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
 * `caller`: the request is at fault; `busy`: 429; `gone`: the job is unknown there; `unusable`: the result can never be
 * used; `shortage`: no outgoing connection was free; `failure`: anything else.
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
