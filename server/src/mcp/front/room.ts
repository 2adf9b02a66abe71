import type { Call } from '../../platform/http/route.ts';
import type { Params } from '../connection.ts';
import type { Offers } from '../offers.ts';
import type { McpRoom } from '../room.ts';
import type { Aside } from './aside.ts';
import type { Questions } from './questions.ts';
import type { Exchange } from './served.ts';
import type { WaitingCalls } from './waiting-calls.ts';

/** Our own tools, each with the caller's rights. */
export interface OwnTools {
  list(): OwnTool[];
  /** The protocol's result. Throws where there is no such tool. */
  call(name: string, args: Params, exchange: Exchange): Promise<Params>;
}

/** As clients are told of it. */
export interface OwnTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Params;
  annotations: { readOnlyHint: boolean };
}

/** What the operator lets users do. */
export interface FrontSettings {
  keysAllowed(): boolean;
  usersMayConnect(): boolean;
}

export interface FrontRoom extends McpRoom {
  /** Throws, or rejects, once whoever made a call would be let in no more. */
  stillIn(call: Call): unknown;
  settings: FrontSettings;
  offers: Offers;
  own: OwnTools;
  questions: Questions;
  waiting: WaitingCalls;
  aside: Aside;
}
