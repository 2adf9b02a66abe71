import type { Origin } from '../../identity/audit/log.ts';
import type { Params } from '../connection.ts';
import { McpFault } from '../fault.ts';
import type { InitializeInfo } from '../initialize-info.ts';
import type { RequestCallbacks } from '../request-callbacks.ts';
import type { McpServer } from '../store/servers.ts';
import type { McpCaller } from './caller.ts';

/** The caller that something is done for. */
export interface Requester {
  caller: McpCaller;
  /** Whose sessions with servers are used: the caller's, or those of one of the caller's clients. */
  holder: string;
  origin: Origin;
  /** Id of the HTTP request. */
  requestId: string;
  /** Headers of the HTTP request; absent for a call made on a page. */
  headers?: Headers | undefined;
  /** Created lazily. */
  readonly signal: AbortSignal;
}

/** One message, and what may be sent to the client before its answer. */
export interface Exchange extends Requester, Omit<RequestCallbacks, 'signal' | 'asking'> {
  /** Sends a server's message to the client before the answer; absent if the client cannot be asked anything. */
  say?: ((message: object) => void) | undefined;
  /** Whether the client speaks revision 2026-07-28, the newest: servers ask questions in their results. */
  newest?: boolean | undefined;
  /** The client cannot open a stream to the server, so one is kept open for it during its calls. */
  deaf?: boolean | undefined;
}

/** Whether the client disconnected. An abort with an `McpFault` is our own. */
export const hasDisconnected = ({ signal }: Requester): boolean =>
  signal.aborted && !(signal.reason instanceof McpFault);

/** What the client supports, for the introduction of a server. */
export interface ClientSupport {
  /** The client supports tasks. */
  tasks: boolean;
  /** The client has a session, and so can open a stream. */
  listens: boolean;
}

/** What one endpoint serves: a connected server, all of them together, or our own tools. */
export interface Endpoint {
  /** Last segment of the endpoint's path; empty for all servers together. */
  name: string;
  /** Whether clients with a session can open a stream here. */
  speaks: boolean;
  /** Whether the method exists here at all. */
  serves(method: string): boolean;
  introduction(asker: Requester, told: ClientSupport): Promise<InitializeInfo>;
  answer(method: string, params: Params, exchange: Exchange): Promise<Params>;
  /**
   * True if the tool's server is already known to speak an older revision: its results hold nothing that the library
   * would have to process.
   */
  onlyAnswers(tool: unknown, holder: string, caller: McpCaller): boolean;
  /** The server with this name at this endpoint; null if the caller may not use it (any more). */
  serverNamed(name: string, caller: McpCaller): McpServer | null | Promise<McpServer | null>;
  /** The server and tool that a name refers to; null if there is none. */
  toolNamed(name: string, caller: McpCaller): Promise<{ server: string; tool: string } | null>;
}

/** A JSON-RPC error, forwarded with its code. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'RpcError';
  }
}

/** Revision 2026-07-28, Streamable HTTP: a request whose headers contradict its body is rejected. */
export class HeaderMismatch extends RpcError {
  constructor(header: string, why: string) {
    super(-32_020, `Bad Request: the header ${header} does not match the body: ${why}`, {
      mismatch: { header },
    });
  }
}

/** Something of our own is away for a moment, as the status says to clients and balancers that read nothing else. */
export class Unavailable extends RpcError {
  constructor(message: string) {
    super(-32_603, message);
  }
}

/** Revision 2026-07-28: these codes also set the HTTP status. */
const statuses: Record<number, number> = { [-32_020]: 400, [-32_021]: 400, [-32_601]: 404 };
export const statusOf = (error: RpcError, newest: boolean): number => {
  if (error instanceof Unavailable) return 503;
  return newest ? (statuses[error.code] ?? 200) : 200;
};

export const noMethod = (method: string): RpcError =>
  new RpcError(-32_601, `Method not found: ${method.slice(0, 100)}`);
export const badParams = (message: string): RpcError => new RpcError(-32_602, message);
export const internalError = (message: string): RpcError => new RpcError(-32_603, message);

/** Reports to the model that a tool call failed. */
export const toolFailure = (text: string): Params => ({ content: [{ type: 'text', text }], isError: true });
