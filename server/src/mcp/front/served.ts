import type { Origin } from '../../identity/audit/log.ts';
import type { Params } from '../connection.ts';
import { McpFault } from '../fault.ts';
import type { Introduction } from '../introduction.ts';
import type { Passing } from '../passing.ts';
import type { McpServer } from '../store/servers.ts';
import type { McpCaller } from './caller.ts';

/** Whom something is done for. */
export interface Asker {
  caller: McpCaller;
  /** Whose sessions with servers are used: the caller's, or those of one client of theirs. */
  holder: string;
  origin: Origin;
  /** Of the request that brought it. */
  requestId: string;
  /** That it came with; absent where a person calls on a page. */
  headers?: Headers | undefined;
  /** Made when it is asked for. */
  readonly signal: AbortSignal;
}

/** One message, and what may be said while it is worked on. */
export interface Exchange extends Asker, Omit<Passing, 'signal' | 'asking'> {
  /** Brings a message of a server to the client before the answer; absent for those who cannot be asked anything. */
  say?: ((message: object) => void) | undefined;
  /** Of the revision in which servers ask within their answers. */
  newest?: boolean | undefined;
  /** The client has nowhere to listen to a server: whoever calls for it listens meanwhile. */
  deaf?: boolean | undefined;
}

/** What we have given up ourselves is no caller's doing. */
export const hasLeft = ({ signal }: Asker): boolean => signal.aborted && !(signal.reason instanceof McpFault);

/** How much a client can be told of what a server has. */
export interface Told {
  /** It can wait for tasks. */
  tasks: boolean;
  /** It has a session, in which it can listen. */
  listens: boolean;
}

/** What is served at one address: a server, all of them together, or our own. */
export interface Served {
  /** By which the address ends; empty where all are together. */
  name: string;
  /** Whether clients with a session can listen here. */
  speaks: boolean;
  /** Whether there is such a method here at all. */
  serves(method: string): boolean;
  introduction(asker: Asker, told: Told): Promise<Introduction>;
  answer(method: string, params: Params, exchange: Exchange): Promise<Params>;
  /** Known at once that whoever has the tool is of before the newest revision: its answers say nothing that the library would have to look at. */
  onlyAnswers(tool: unknown, holder: string, caller: McpCaller): boolean;
  /** The server that is called so here, where the caller may still use it. */
  serverNamed(name: string, caller: McpCaller): McpServer | null | Promise<McpServer | null>;
  /** Whose tool a call names; null where that is nobody's. */
  toolNamed(name: string, caller: McpCaller): Promise<{ server: string; tool: string } | null>;
}

/** A fault in the protocol's own words: passed on with its code. */
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

/** The protocol's revision 2026-07-28, Streamable HTTP: a body is not believed where its headers say something else. */
export class HeaderMismatch extends RpcError {
  constructor(header: string, why: string) {
    super(-32_020, `Bad Request: the header ${header} does not repeat what is in the body: ${why}`, {
      mismatch: { header },
    });
  }
}

/** The same revision: these are told by the status as well. */
const statuses: Record<number, number> = { [-32_020]: 400, [-32_021]: 400, [-32_601]: 404 };
export const statusOf = ({ code }: RpcError, newest: boolean): number => (newest ? (statuses[code] ?? 200) : 200);

export const noMethod = (method: string): RpcError =>
  new RpcError(-32_601, `Method not found: ${method.slice(0, 100)}`);
export const badParams = (message: string): RpcError => new RpcError(-32_602, message);
export const ownFault = (message: string): RpcError => new RpcError(-32_603, message);

/** A tool that was called and could not do it: for the model to read. */
export const toolFailure = (text: string): Params => ({ content: [{ type: 'text', text }], isError: true });
