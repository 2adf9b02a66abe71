import type { Call } from '../../platform/http/route.ts';
import type { Params } from '../connection.ts';
import type { Offers } from '../offers.ts';
import type { McpRoom } from '../room.ts';
import type { Aside } from './aside.ts';
import type { Questions } from './questions.ts';
import type { Exchange } from './served.ts';
import type { WaitingCalls } from './waiting-calls.ts';

/** Our own tools, run with the caller's rights. */
export interface OwnTools {
  list(): OwnTool[];
  /** Returns an MCP tool result. Throws if there is no such tool. */
  call(name: string, args: Params, exchange: Exchange): Promise<Params>;
}

/** A tool as shown to clients. */
export interface OwnTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Params;
  annotations: { readOnlyHint: boolean };
}

/** What the operator allows users to do. */
export interface FrontSettings {
  keysAllowed(): boolean;
  usersMayConnect(): boolean;
}

export interface FrontRoom extends McpRoom {
  /** Throws or rejects once the caller would no longer be authenticated. */
  stillIn(call: Call): unknown;
  settings: FrontSettings;
  offers: Offers;
  own: OwnTools;
  questions: Questions;
  waiting: WaitingCalls;
  aside: Aside;
}
