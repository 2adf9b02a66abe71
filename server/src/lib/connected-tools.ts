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

export interface HowToWait {
  /** Whoever called has left. What was begun is paid then. */
  signal: AbortSignal;
  /** It takes longer than anybody waits: the tool has failed, and nothing is paid. Absent where its server's own limit counts. */
  tooLong?: AbortSignal;
  /** Asked when the caller has left: whether somebody else goes on with its work. Then nothing is paid or taken back. */
  handedOver?(): boolean;
}

export interface HowToCall extends HowToWait {
  /** Whether a person has approved the call already; else a tool that asks first has its user asked, and is not called yet. */
  approved: boolean;
  /** The server goes on with the call by itself, and is waited for; by this name `follow` finds it. Waited for before it is. */
  goesOn?(task: string): unknown;
}

/** Tools of connected servers, within the rights of the user they are called for. */
export interface ConnectedTools {
  list(userId: number): Promise<ConnectedTool[]>;
  /**
   * Never waits longer than the server's limit, but for what the server goes on with. Throws only when there is no such tool for
   * this user, or on `signal`.
   */
  call(caller: ToolCaller, name: string, args: Record<string, unknown>, how: HowToCall): Promise<ToolOutcome>;
  /** Waits on for a call that somebody else has begun and a server goes on with. Null where that cannot be found any more. */
  follow(caller: ToolCaller, name: string, task: string, how: HowToWait): Promise<ToolOutcome | null>;
}

/** Where nothing is connected. */
export const noConnectedTools: ConnectedTools = {
  list: async () => [],
  call: async (_user, name) => {
    throw new Error(`no tool is called ${name}`);
  },
  follow: async () => null,
};
