import { AppError } from '../lib/errors.ts';
import type { CalledTool, HeldPrice, Payer } from './called-tool.ts';
import type { McpDeps } from './room.ts';
import type { McpServer } from './store/servers.ts';

export type NotedCall = Omit<CalledTool, 'status' | 'durationMs' | 'paid'> & {
  /** Whether the caller is gone; asked only when the call has failed. */
  left(): boolean;
  /** Asked only where something is to be paid; throws where nothing may be. */
  payer(): Payer | Promise<Payer>;
};

export interface Bill {
  /** Puts the price aside, if there is one. Throws where there is not enough. */
  hold(price: number): Promise<void>;
  /** The server is asked now: from here on the call is paid for, unless the server fails. */
  begin(): void;
  /** It has failed, though there is something to tell a model. */
  fail(): void;
}

type Room = Pick<McpDeps, 'clock' | 'note' | 'money'>;

/** However a call ends, it is told of and paid for once, before its result is passed on. */
export async function noted<T>(
  room: Room,
  { left, payer, ...call }: NotedCall,
  isError: (result: T) => boolean,
  work: (bill: Bill) => Promise<T>,
): Promise<T> {
  const startedMs = room.clock.steadyMs();
  let held: HeldPrice | null = null;
  let begun = false;
  const bill: Bill = {
    hold: async (price) => {
      if (price > 0) held = await room.money.hold({ ...call, ...(await payer()), price });
    },
    begin: () => {
      begun = true;
    },
    fail: () => {
      begun = false;
    },
  };
  /** A promise only where there is money to move. */
  const end = (status: CalledTool['status'], failed: boolean): Promise<void> | undefined => {
    const ended = { status, durationMs: room.clock.steadyMs() - startedMs };
    const put = held as HeldPrice | null;
    const pays = put !== null && begun && !failed;
    const note = () => room.note({ ...call, ...ended, paid: pays });
    if (put) return (pays ? put.settle(ended) : put.release()).then(note);
    note();
    return undefined;
  };
  let result: T;
  try {
    result = await work(bill);
  } catch (error) {
    // Whoever leaves meanwhile has had the work done.
    const gone = left();
    await end(gone ? 'aborted' : 'error', !gone);
    throw error;
  }
  const paid = end(isError(result) ? 'error' : 'ok', false);
  if (paid) await paid;
  return result;
}

/** Why a price could not be put aside, for a model to read; throws what is no matter of money. */
export function unpaid(error: unknown): string {
  if (error instanceof AppError && error.status < 500) return error.message;
  throw error;
}

const minuteMs = 60_000;

/** Why a server is not called now, as the operator limits it; null where it may be. */
export async function tooOften(
  { shared }: Pick<McpDeps, 'shared'>,
  { id, name, callsPerMinute }: Pick<McpServer, 'id' | 'name' | 'callsPerMinute'>,
): Promise<string | null> {
  if (callsPerMinute === 0) return null;
  const { allowed, resetMs } = await shared.hit(`mcp-server:${id}`, callsPerMinute, minuteMs);
  if (allowed) return null;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return `${name} may be called ${callsPerMinute} times a minute, and was. Try again in ${seconds} seconds.`;
}
