import { AppError } from '../lib/errors.ts';
import type { CalledTool, HeldPrice, Payer } from './called-tool.ts';
import type { McpDeps } from './context.ts';
import type { McpServer } from './store/servers.ts';

export interface RecordedCall extends Omit<CalledTool, 'status' | 'durationMs' | 'paid'> {
  /** Whether the caller has disconnected; called only if the call has failed. */
  left(): boolean;
  /** Called only if there is a price; throws if the caller may not pay. */
  payer(): Payer | Promise<Payer>;
}

type Room = Pick<McpDeps, 'clock' | 'note' | 'money'>;

/** Records and charges a call exactly once, however it ends, before its result is forwarded. */
export class Bill {
  readonly #startedMs: number;
  #held: HeldPrice | null = null;
  #begun = false;

  constructor(
    private readonly room: Room,
    private readonly call: RecordedCall,
  ) {
    this.#startedMs = room.clock.steadyMs();
  }

  /** Reserves the price, if any. Throws if the balance is insufficient. */
  async hold(price: number): Promise<void> {
    if (price <= 0) return;
    const { requestId, parentRequestId, server, tool } = this.call;
    const payer = await this.call.payer();
    this.#held = await this.room.money.hold({ ...payer, requestId, parentRequestId, server, tool, price });
  }

  /** The request is being sent: from now on the call is charged, unless the server fails. */
  begin(): void {
    this.#begun = true;
  }

  /** The call failed, although there is a text for the model. */
  fail(): void {
    this.#begun = false;
  }

  /** Records and charges the call once the work ends, and returns its result. */
  async noted<T>(work: Promise<T>, isError: (result: T) => boolean): Promise<T> {
    let result: T;
    try {
      result = await work;
    } catch (error) {
      await this.failed();
      throw error;
    }
    const paid = this.ended(isError(result));
    if (paid) await paid;
    return result;
  }

  async failed(): Promise<void> {
    // If the caller disconnected, the work was done for them, so it is charged.
    const gone = this.call.left();
    await this.#end(gone ? 'aborted' : 'error', !gone);
  }

  /** Returns a promise only if there is something to settle. */
  ended(isError: boolean): Promise<void> | undefined {
    return this.#end(isError ? 'error' : 'ok', false);
  }

  #end(status: CalledTool['status'], failed: boolean): Promise<void> | undefined {
    const durationMs = this.room.clock.steadyMs() - this.#startedMs;
    if (this.#held) return this.#pay(this.#held, { status, durationMs }, this.#begun && !failed);
    this.#note(status, durationMs, false);
    return undefined;
  }

  async #pay(held: HeldPrice, ended: Pick<CalledTool, 'status' | 'durationMs'>, pays: boolean): Promise<void> {
    await (pays ? held.settle(ended) : held.release());
    this.#note(ended.status, ended.durationMs, pays);
  }

  #note(status: CalledTool['status'], durationMs: number, paid: boolean): void {
    const { userId, keyId, requestId, parentRequestId, origin, server, tool } = this.call;
    this.room.note({ userId, keyId, requestId, parentRequestId, origin, server, tool, status, durationMs, paid });
  }
}

/** Why the price could not be reserved, as a message for the model; rethrows other errors. */
export function paymentRefusal(error: unknown): string {
  if (error instanceof AppError && error.status < 500) return error.message;
  throw error;
}

const minuteMs = 60_000;

/** Why the server must not be called now because of the operator's rate limit; null if it may. */
export async function rateLimitRefusal(
  { shared }: Pick<McpDeps, 'shared'>,
  { id, name, callsPerMinute }: Pick<McpServer, 'id' | 'name' | 'callsPerMinute'>,
): Promise<string | null> {
  if (callsPerMinute === 0) return null;
  const { allowed, resetMs } = await shared.hit(`mcp-server:${id}`, callsPerMinute, minuteMs);
  if (allowed) return null;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return `The limit of ${callsPerMinute} calls per minute to ${name} was reached. Try again in ${seconds} seconds.`;
}
