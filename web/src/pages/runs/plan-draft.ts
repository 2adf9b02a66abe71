import { t } from '../../language/words.ts';
import type { RunStatus } from './runs-queries.ts';

type Task = RunStatus['plan']['tasks'][number];

/** A task of the plan while it is being edited. */
export interface DraftTask {
  id: string;
  title: string;
  instruction: string;
  dependsOn: string[];
  done: boolean;
}

const live = ({ status }: Task): boolean => status !== 'skipped';

export const draftsOf = (tasks: Task[]): DraftTask[] =>
  tasks.filter(live).map(({ task_id, title, instruction, depends_on, status }) => ({
    id: task_id,
    title,
    instruction,
    dependsOn: depends_on,
    done: status === 'completed',
  }));

export const bodyOf = (drafts: DraftTask[]) =>
  drafts.map(({ id, title, instruction, dependsOn }) => ({
    id,
    title: title.trim(),
    instruction: instruction.trim(),
    depends_on: dependsOn,
  }));

export const isChanged = (tasks: Task[], drafts: DraftTask[]): boolean =>
  JSON.stringify(draftsOf(tasks)) !== JSON.stringify(drafts);

/** Why the plan cannot be sent. The service checks the rest, such as cycles. */
export function faultOf(drafts: DraftTask[]): string | null {
  if (drafts.length === 0) return t('Keep or add at least one task.');
  const empty = drafts.findIndex(({ title, instruction }) => title.trim() === '' || instruction.trim() === '');
  return empty < 0 ? null : t('Task {place} needs a title and an instruction.', { place: empty + 1 });
}

/** The new task gets an id that is not in use. */
export function withNewTask(drafts: DraftTask[]): DraftTask[] {
  const ids = new Set(drafts.map(({ id }) => id));
  let number = drafts.length + 1;
  while (ids.has(`n${number}`)) number += 1;
  return [...drafts, { id: `n${number}`, title: '', instruction: '', dependsOn: [], done: false }];
}

/** Removes a task, and also removes it from the dependencies of others. */
export const without = (drafts: DraftTask[], id: string): DraftTask[] =>
  drafts
    .filter((task) => task.id !== id)
    .map((task) => ({ ...task, dependsOn: task.dependsOn.filter((other) => other !== id) }));
