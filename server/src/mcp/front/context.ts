import type { Call } from '../../platform/http/route.ts';
import type { Params } from '../connection.ts';
import type { McpContext } from '../context.ts';
import type { ListUsableTools } from '../usable-tools.ts';
import type { Exchange } from './endpoint.ts';
import type { Questions } from './questions.ts';
import type { ServerStreams } from './server-streams.ts';
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

export interface FrontContext extends McpContext {
  /** Throws or rejects once the caller would no longer be authenticated. */
  recheckCaller(call: Call): unknown;
  settings: FrontSettings;
  offers: ListUsableTools;
  own: OwnTools;
  questions: Questions;
  waiting: WaitingCalls;
  aside: ServerStreams;
}
