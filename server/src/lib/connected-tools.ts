/** A tool of a server that the operator connected, as a model is told of it. */
export interface ConnectedTool {
  /** `server__tool`: unique among all that a user may use, letters, digits, `_` and `-` only, at most 64 of them. */
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
  /** A person is asked before it is called, unless whoever starts a run says that nobody is. */
  askFirst: boolean;
}

/** What a call came to, as text for a model; a tool that fails is an outcome too. */
export interface ToolOutcome {
  text: string;
  isError: boolean;
  /** The server sent more than is passed on. */
  cut: boolean;
  /** What the call was charged, in quota. */
  cost?: number;
}

/** For whom a tool is called. */
export interface ToolCaller {
  userId: number;
  /** Null when a browser session asks. */
  keyId: number | null;
  /** False when the key has a quota of its own. */
  keyUnlimited?: boolean;
  /** The turn or run that it is called for. */
  parentRequestId?: string;
}

export interface HowToCall {
  signal: AbortSignal;
  /** Whether a person has approved the call already; else a tool that asks first has its user asked, and is not called yet. */
  approved: boolean;
}

/** Tools of connected servers, within the rights of the user they are called for. */
export interface ConnectedTools {
  list(userId: number): Promise<ConnectedTool[]>;
  /** Never waits longer than the server's limit. Throws only when there is no such tool for this user, or on `signal`. */
  call(caller: ToolCaller, name: string, args: Record<string, unknown>, how: HowToCall): Promise<ToolOutcome>;
}

/** Where nothing is connected. */
export const noConnectedTools: ConnectedTools = {
  list: async () => [],
  call: async (_user, name) => {
    throw new Error(`no tool is called ${name}`);
  },
};
