import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import { bounded } from './call-tool.ts';
import type { RunState, RunTask } from './state.ts';
import { saidByTool } from './steps-talk.ts';
import type { Step } from './store/steps.ts';
import type { OpenCall } from './talk.ts';

export interface ToolOutput {
  tool_call_id: string;
  output: string;
}
export interface Approval {
  id: string;
  approve: boolean;
  note?: string | undefined;
}

/** Gives the waiting tasks what people and the caller's tools say, and answers what the journal is to keep of it. */
export function takeAnswers(state: RunState, outputs: ToolOutput[], approvals: Approval[]): Step[] {
  const waiting = new Map<string, { task: RunTask; call: OpenCall }>();
  for (const task of state.tasks)
    if (task.status === 'pending') for (const call of task.talk?.open ?? []) waiting.set(call.id, { task, call });
  const steps: Step[] = [];
  const close = ({ task, call }: { task: RunTask; call: OpenCall }, content: string) => {
    const talk = task.talk!;
    // The same call may be answered anew by whoever goes back behind it.
    const key = `answer:${call.id}:${randomString(8)}`;
    talk.open = talk.open.filter((other) => other !== call);
    talk.said.push(key);
    steps.push({ key, result: JSON.stringify(saidByTool(call.id, content)), tokens: 0 });
  };
  const find = (param: string, id: string, needs: OpenCall['needs']) => {
    const found = waiting.get(id);
    if (found?.call.needs === needs) return found;
    throw new AppError('invalid_value', `${param}: the run waits for nothing of the id "${id}".`, { param });
  };
  refuseRepeated(
    'approvals',
    approvals.map(({ id }) => id),
  );
  refuseRepeated(
    'tool_outputs',
    outputs.map(({ tool_call_id }) => tool_call_id),
  );
  const answered = approvals.map((approval) => ({ approval, found: find('approvals', approval.id, 'approval') }));
  for (const { approval, found } of answered) {
    if (!approval.approve) close(found, refusal(approval.note));
    else found.call.needs = found.call.own ? 'output' : 'call';
  }
  for (const { tool_call_id, output } of outputs) close(find('tool_outputs', tool_call_id, 'output'), bounded(output));
  return steps;
}

const refusal = (note: string | undefined): string =>
  `The user refused this call, and it was not made.${note ? ` They say: ${note}` : ''}`;

function refuseRepeated(param: string, ids: string[]): void {
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    throw new AppError('invalid_value', `${param}: the id "${twice}" is there more than once.`, { param });
}
