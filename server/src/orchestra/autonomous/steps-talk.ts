import { randomString } from '../../lib/ids.ts';
import type { ChatMessage } from '../messages.ts';
import type { Succeeded } from '../task/run-task.ts';
import { callOnce, isBegun, outcomeKey } from './call-tool.ts';
import { Pause } from './halt.ts';
import { instructionText } from './instructions.ts';
import type { RunTask } from './state.ts';
import { loadSteps } from './store/steps.ts';
import {
  type ConversationEntry,
  type OpenCall,
  pendingIn,
  type TaskConversation,
  waitingReason,
} from './task-conversation.ts';
import type { Toolbox } from './toolbox.ts';
import { stepKey, type Work } from './work.ts';

/** Maximum answers with tool calls per task; otherwise a model that keeps calling tools would never finish. */
export const mostRounds = 16;
/** Maximum tool calls per answer; further ones are ignored. */
const mostCalls = 32;

const closing =
  'You have called tools as often as this task allows. Answer now with what you have, without calling any tool.';

export const isClosing = ({ talk }: RunTask): boolean => (talk?.rounds ?? 0) >= mostRounds;

/** Records an answer that calls tools. From here on the task continues with exactly this conversation. */
export function noteRound(
  work: Work,
  task: RunTask,
  at: { step: string; model: string; toolbox: Toolbox },
  done: Succeeded,
): Promise<void> {
  const { state, journal } = work;
  const { promptTokens, completionTokens } = done.answer.usage;
  const tokens = promptTokens + completionTokens;
  const calls = done.toolCalls.slice(0, mostCalls).map((call) => ({ ...call, id: `call_${randomString(24)}` }));
  const said: ChatMessage = { role: 'assistant', content: done.answer.message.content, tool_calls: calls };
  const begun: TaskConversation | null = task.talk ?? null;
  const { said: before, rounds, instructed, tokens: used } = begun ?? newTalk(state.instructions?.length ?? 0);
  const key = `${at.step}:said:${rounds + 1}`;
  const open = calls.map(({ id, function: { name, arguments: args } }): OpenCall => {
    const own = at.toolbox.whose(name) === 'own';
    const needs = at.toolbox.asksFirst(name) ? 'approval' : own ? 'output' : 'call';
    return { id, name, arguments: args, needs, own };
  });
  task.talk = {
    model: at.model,
    said: [...before, key],
    rounds: rounds + 1,
    open,
    tokens: used + tokens,
    instructed,
  };
  for (const call of open)
    journal.tell(call.needs === 'approval' ? 'approval_requested' : 'tool_call_started', toldOf(task, call));
  const kept: ConversationEntry<ChatMessage> = { messages: begun ? [said] : [...done.messages, said] };
  return journal.record(key, kept, tokens, at.step);
}

const toldOf = ({ id: task_id }: RunTask, { id, name, arguments: args }: OpenCall) => ({
  task_id,
  tool_call_id: id,
  name,
  arguments: args,
});

const newTalk = (instructed: number) => ({ said: [] as string[], rounds: 0, instructed, tokens: 0 });

/** Makes the calls to connected tools in order; pauses if the caller has to deliver an output or a user an approval. */
export async function answerCalls(work: Work, task: RunTask, toolbox: Toolbox, signal: AbortSignal): Promise<void> {
  for (const call of task.talk!.open.filter(({ needs }) => needs === 'call')) {
    if (await isToBeApproved(work, call, toolbox)) {
      call.needs = 'approval';
      work.journal.tell('approval_requested', toldOf(task, call));
      continue;
    }
    const known = toolbox.whose(call.name) === 'connected';
    const content = known ? await callOnce(work, call, signal) : `There is no tool called "${call.name}".`;
    await note(work, task, call, content);
  }
  const reason = waitingReason(pendingIn({ tasks: [task] }));
  if (reason) throw new Pause(reason);
}

/** While the run was paused, the operator may have marked the tool, or the user asked to approve all calls. */
const isToBeApproved = async (work: Work, call: OpenCall, toolbox: Toolbox): Promise<boolean> =>
  !call.approved && toolbox.asksFirst(call.name) && !(await isBegun(work, call));

/** Records the outcome of a call before it is sent to the model. */
function note({ journal }: Work, task: RunTask, call: OpenCall, content: string | null): Promise<void> {
  const talk = task.talk!;
  const key = outcomeKey(call.id);
  talk.open = talk.open.filter((other) => other !== call);
  talk.said.push(key);
  journal.tell('tool_call_finished', { task_id: task.id, tool_call_id: call.id, name: call.name });
  if (content === null) return journal.save();
  return journal.record(key, saidByTool(call.id, content));
}

export const saidByTool = (tool_call_id: string, content: string): ConversationEntry<ChatMessage> => ({
  messages: [{ role: 'tool', tool_call_id, content }],
});

/** Appends instructions that the user gave after the conversation started. */
export async function tellInstructions(work: Work, task: RunTask): Promise<void> {
  const talk = task.talk!;
  const all = work.state.instructions ?? [];
  const fresh = all.slice(talk.instructed);
  if (fresh.length === 0) return;
  const key = stepKey(work, `instructed:${task.id}:${all.length}:${randomString(6)}`);
  talk.said.push(key);
  talk.instructed = all.length;
  const said: ConversationEntry<ChatMessage> = { messages: [{ role: 'user', content: instructionText(fresh) }] };
  await work.journal.record(key, said);
}

export async function talkMessages({ deps, holding }: Work, task: RunTask): Promise<ChatMessage[]> {
  const { said } = task.talk!;
  const found = await loadSteps(deps.db, holding.ref, said);
  const messages = said.flatMap((key) => (found.get(key) as ConversationEntry<ChatMessage>).messages);
  return isClosing(task) ? [...messages, { role: 'user', content: closing }] : messages;
}
