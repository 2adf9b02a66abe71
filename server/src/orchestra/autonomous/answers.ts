import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/tables.ts';
import { bounded } from '../connected-tools.ts';
import { newEvent, pausedStatuses, type RunEvent, type RunNames } from './events.ts';
import type { RunState, RunTask } from './state.ts';
import { saidByTool } from './steps-talk.ts';
import type { Run } from './store/runs.ts';
import { hasStep, type Step } from './store/steps.ts';
import type { OpenCall } from './task-conversation.ts';

/** The output of a call to one of the caller's own tools, or a user's decision on a call that needs approval. */
export type Answer = { id: string } & (
  | { kind: 'output'; content: string }
  | { kind: 'approval'; approved: boolean; note?: string | undefined }
);

interface Waiting {
  task: RunTask;
  call: OpenCall;
}

function openCalls(state: RunState): Map<string, Waiting> {
  const calls = new Map<string, Waiting>();
  for (const task of state.tasks)
    if (task.status === 'pending') for (const call of task.talk?.open ?? []) calls.set(call.id, { task, call });
  return calls;
}

/** Prefix of the journal keys under which answers are stored. */
const answerKey = (id: string): string => `answer:${id}:`;

/** Throws unless the run is waiting for each of these answers. */
export async function requireWaiting(db: Db, run: Run, answers: Answer[]): Promise<void> {
  const calls = openCalls(run.state);
  const seen = new Set<string>();
  for (const { id, kind } of answers) {
    if (seen.has(id)) throw refused(`the id "${id}" appears more than once.`);
    seen.add(id);
    const needs = calls.get(id)?.call.needs;
    if (needs === kind) continue;
    if (needs === 'approval') throw refused(`the call "${id}" must be approved first.`);
    // A duplicate answer gets a conflict, so that the client knows the first one arrived.
    if (await hasStep(db, run.ref, answerKey(id)))
      throw new AppError('conflict', `The call "${id}" has already been answered.`);
    throw refused(`the run is not waiting for a call with the id "${id}".`);
  }
  if (run.status === 'running')
    throw new AppError(
      'conflict',
      'The execution is still running. It accepts answers after its current tasks have finished.',
    );
  if (!(pausedStatuses as readonly string[]).includes(run.status))
    throw new AppError('conflict', `The execution is ${run.status}. Resume it from its checkpoint first.`);
}

const refused = (words: string): AppError =>
  new AppError('invalid_value', `tool_call_id: ${words}`, { param: 'tool_call_id' });

/** The events that tell readers about the outputs. */
export const answerEvents = (names: RunNames, now: number, state: RunState, answers: Answer[]): RunEvent[] => {
  const calls = openCalls(state);
  return answers.flatMap(({ id, kind }) => {
    if (kind !== 'output') return [];
    const { task, call } = calls.get(id)!;
    return newEvent(names, now, 'tool_call_finished', { task_id: task.id, tool_call_id: id, name: call.name });
  });
};

/** Applies the answers to the waiting tasks and returns the journal steps to store. */
export function takeAnswers(state: RunState, answers: Answer[]): Step[] {
  const calls = openCalls(state);
  return answers.map((answer) => {
    const { task, call } = calls.get(answer.id)!;
    // The key is random because the same call can be answered again after a resume from an earlier checkpoint.
    const key = `${answerKey(call.id)}${randomString(8)}`;
    const keep = (result: unknown): Step => ({ key, result: JSON.stringify(result), tokens: 0 });
    if (answer.kind === 'approval' && answer.approved) {
      call.needs = call.own ? 'output' : 'call';
      call.approved = true;
      return keep({ approved: true, note: answer.note });
    }
    const talk = task.talk!;
    talk.open = talk.open.filter((other) => other !== call);
    talk.said.push(key);
    return keep(saidByTool(call.id, answer.kind === 'output' ? bounded(answer.content) : refusal(answer.note)));
  });
}

const refusal = (note: string | undefined): string =>
  `The user refused this call, and it was not made.${note ? ` They say: ${note}` : ''}`;
