import type { Origin } from '../identity/audit/log.ts';

/** A tool call that was made or attempted. */
export interface CalledTool {
  userId: number;
  keyId: number | null;
  requestId: string;
  /** The turn or run that the call was made for. */
  parentRequestId?: string | undefined;
  origin: Origin;
  /** The id is null for our own server. */
  server: { id: number | null; name: string };
  tool: string;
  status: 'ok' | 'error' | 'aborted';
  durationMs: number;
  /** The call was charged; its cost is recorded in usage. */
  paid: boolean;
}

export interface Payer {
  userId: number;
  keyId: number | null;
  /** False if the key has its own quota. */
  keyUnlimited: boolean;
}

export interface PricedCall extends Payer, Pick<CalledTool, 'requestId' | 'parentRequestId' | 'server' | 'tool'> {
  /** In quota units. */
  price: number;
}

/** The reserved price of a call. */
export interface HeldPrice {
  settle(ended: Pick<CalledTool, 'status' | 'durationMs'>): Promise<void>;
  release(): Promise<void>;
}

/** Charges users for tools that have a price. */
export interface ToolPayments {
  /** Throws if the balance is insufficient. */
  hold(call: PricedCall): Promise<HeldPrice>;
}
