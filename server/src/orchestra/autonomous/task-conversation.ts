/** A tool call whose outcome the task's model waits for. */
export interface OpenCall {
  /** Generated here, because vendors number calls from one in every answer. */
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
  /** The next action: a user approves or denies, the caller delivers the output, or we make the call. */
  needs: 'approval' | 'output' | 'call';
  /** Whether it is one of the caller's own tools, which the caller runs. */
  own: boolean;
  /** A user has approved it. */
  approved?: boolean;
}

/** A task's conversation with its tools. The texts are in the journal. */
export interface TaskConversation {
  /** The model that continues the conversation, even if another would be chosen now. */
  model: string;
  /** Journal keys of its messages, oldest first. */
  said: string[];
  /** Number of answers that called tools. */
  rounds: number;
  open: OpenCall[];
  tokens: number;
  /** How many of the user's later instructions the conversation already contains. */
  instructed: number;
}

/** The journal entry under a key of the conversation. */
export interface ConversationEntry<M> {
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
  talk?: TaskConversation | null;
}

/** The calls that the run waits for, grouped by what they need. */
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

/** The pause reason for these calls; null if the run waits for nothing. */
export function waitingReason({ pending_tool_calls, pending_approvals }: Pending): 'approval' | 'tool_calls' | null {
  if (pending_approvals.length > 0) return 'approval';
  return pending_tool_calls.length > 0 ? 'tool_calls' : null;
}
