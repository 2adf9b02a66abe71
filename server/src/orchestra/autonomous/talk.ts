/** A call of a tool that a task's model waits for. */
export interface OpenCall {
  /** Ours: vendors count calls from one in every answer. */
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
  /** What is to happen next: a person says whether, the caller brings what came of it, or we make the call. */
  needs: 'approval' | 'output' | 'call';
  /** The caller's own tools are called by the caller. */
  own: boolean;
}

/** What a task and its tools have said to each other. The texts stay in the journal. */
export interface Talk {
  /** Goes on with it, whatever would be chosen now. */
  model: string;
  /** Journal keys of its messages, first to last. */
  said: string[];
  /** Answers that called tools. */
  rounds: number;
  open: OpenCall[];
  tokens: number;
  /** How many of the user's later instructions it was told. */
  instructed: number;
}

/** What stands in the journal under the keys of a talk. */
export interface Said<M> {
  messages: M[];
}

export interface PendingCall {
  id: string;
  name: string;
  arguments: string;
  task_id: string;
}

export interface Pending {
  pending_tool_calls: PendingCall[];
  pending_approvals: PendingCall[];
}

interface Talking {
  id: string;
  status: string;
  talk?: Talk | null;
}

/** The calls that the run waits for, by who has to do something about them. */
export function pendingIn({ tasks }: { tasks: Talking[] }): Pending {
  const open = tasks.flatMap(({ id: task_id, status, talk }) =>
    status === 'pending' && talk ? talk.open.map((call) => ({ task_id, call })) : [],
  );
  const needing = (needs: OpenCall['needs']) =>
    open.flatMap(({ task_id, call: { id, name, arguments: args, needs: due } }) =>
      due === needs ? [{ id, name, arguments: args, task_id }] : [],
    );
  return { pending_tool_calls: needing('output'), pending_approvals: needing('approval') };
}

/** Why a run with such calls is at rest; null when it waits for nobody. */
export function waitingReason({ pending_tool_calls, pending_approvals }: Pending): 'approval' | 'tool_calls' | null {
  if (pending_approvals.length > 0) return 'approval';
  return pending_tool_calls.length > 0 ? 'tool_calls' : null;
}
