import type { Origin } from '../identity/audit/log.ts';

/** A call of a tool that was made, or tried. */
export interface CalledTool {
  userId: number;
  keyId: number | null;
  requestId: string;
  /** Of the turn or run that it was made for. */
  parentRequestId?: string | undefined;
  origin: Origin;
  /** Null id for our own. */
  server: { id: number | null; name: string };
  tool: string;
  status: 'ok' | 'error' | 'aborted';
  durationMs: number;
  /** It was paid for, and stands in usage with what it cost. */
  paid: boolean;
}

/** Who pays for a call. */
export interface Payer {
  userId: number;
  keyId: number | null;
  /** False when the key has a quota of its own. */
  keyUnlimited: boolean;
}

export interface PricedCall extends Payer, Pick<CalledTool, 'requestId' | 'parentRequestId' | 'server' | 'tool'> {
  /** In quota units. */
  price: number;
}

/** What was put aside for a call. */
export interface HeldPrice {
  settle(ended: Pick<CalledTool, 'status' | 'durationMs'>): Promise<void>;
  release(): Promise<void>;
}

/** The money of users, for tools that cost something. */
export interface ToolMoney {
  /** Throws where there is not enough. */
  hold(call: PricedCall): Promise<HeldPrice>;
}
