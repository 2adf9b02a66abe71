import { AppError } from '../lib/errors.ts';
import type { CalledTool, HeldPrice, Payer } from './called-tool.ts';
import type { McpDeps } from './room.ts';
import type { McpServer } from './store/servers.ts';

export interface NotedCall extends Omit<CalledTool, 'status' | 'durationMs' | 'paid'> {
  /** Whether the caller is gone; asked only when the call has failed. */
  left(): boolean;
  /** Asked only where something is to be paid; throws where nothing may be. */
  payer(): Payer | Promise<Payer>;
}

type Room = Pick<McpDeps, 'clock' | 'note' | 'money'>;

/** However a call ends, it is told of and paid for once, before its result is passed on. */
export class Bill {
  readonly #startedMs: number;
  #held: HeldPrice | null = null;
  #begun = false;

  constructor(
    private readonly room: Room,
    private readonly call: NotedCall,
  ) {
    this.#startedMs = room.clock.steadyMs();
  }

  /** Puts the price aside, if there is one. Throws where there is not enough. */
  async hold(price: number): Promise<void> {
    if (price <= 0) return;
    const { requestId, parentRequestId, server, tool } = this.call;
    const payer = await this.call.payer();
    this.#held = await this.room.money.hold({ ...payer, requestId, parentRequestId, server, tool, price });
  }

  /** The server is asked now: from here on the call is paid for, unless the server fails. */
  begin(): void {
    this.#begun = true;
  }

  /** It has failed, though there is something to tell a model. */
  fail(): void {
    this.#begun = false;
  }

  /** What the work comes to, which this bill was handed to. */
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
    // Whoever leaves meanwhile has had the work done.
    const gone = this.call.left();
    await this.#end(gone ? 'aborted' : 'error', !gone);
  }

  /** A promise only where there is money to move. */
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
