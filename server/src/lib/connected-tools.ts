/** A tool of a connected server, as described to a model. */
export interface ConnectedTool {
  /** `server__tool`: unique among all tools of a user; letters, digits, `_` and `-` only, at most 64. */
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
  /** A person has to approve each call, unless the run was started without approvals. */
  askFirst: boolean;
}

/** The result of a call as text for a model; a failing tool is a result too. */
export interface ToolOutcome {
  text: string;
  isError: boolean;
  /** The server sent more than is passed on. */
  cut: boolean;
  /** The amount charged, in quota. */
  cost?: number;
}

/** On whose behalf a tool is called. */
export interface ToolCaller {
  userId: number;
  /** Null for a browser session. */
  keyId: number | null;
  /** False if the key has a quota of its own. */
  keyUnlimited?: boolean;
  /** The turn or run that calls it. */
  parentRequestId?: string;
}

export interface HowToWait {
  /** The caller is gone. A call that was started is charged then. */
  signal: AbortSignal;
  /** The call took too long: it has failed, and nothing is charged. Absent if the server's own limit applies. */
  tooLong?: AbortSignal;
  /**
   * Called when the caller is gone: whether another process continues its work. Then nothing is charged or refunded.
   */
  handedOver?(): boolean;
}

export interface HowToCall extends HowToWait {
  /**
   * Whether a person has approved the call already; otherwise a tool with approval asks its user, and is not called
   * yet.
   */
  approved: boolean;
  /**
   * The server runs the call as a task, to be waited for; `follow` finds it by this name. Awaited before the waiting
   * starts.
   */
  goesOn?(task: string): unknown;
}

/** Tools of connected servers, with the rights of the user on whose behalf they are called. */
export interface ConnectedTools {
  list(userId: number): Promise<ConnectedTool[]>;
  /**
   * Waits for at most the server's time limit, except for tasks. Throws only if the user has no such tool, or on
   * `signal`.
   */
  call(caller: ToolCaller, name: string, args: Record<string, unknown>, how: HowToCall): Promise<ToolOutcome>;
  /** Continues to wait for a task that another process started. Null if it cannot be found any more. */
  follow(caller: ToolCaller, name: string, task: string, how: HowToWait): Promise<ToolOutcome | null>;
}

/** For services without connected servers. */
export const noConnectedTools: ConnectedTools = {
  list: async () => [],
  call: async (_user, name) => {
    throw new Error(`no tool is called ${name}`);
  },
  follow: async () => null,
};
