import { terms } from './search/terms.ts';

interface Worded {
  title: string;
  instruction: string;
  asked_for?: boolean;
}

/**
 * If at least this share of a task's words is in the request, the user asked for it; it is not a step the planner
 * added.
 */
const ownWords = 2 / 3;

/**
 * Marks the tasks whose own result belongs in the answer. The planner says so; if it does not, a task worded like the
 * request counts as asked for, in any language.
 */
export function markRequestedTasks<T extends Worded>(request: string, tasks: T[]): T[] {
  const said = new Set(terms(request));
  return tasks.map((task) => {
    const asked = task.asked_for ?? [task.title, task.instruction].some((text) => shareOf(said, text) >= ownWords);
    return { ...task, asked_for: asked || undefined };
  });
}

function shareOf(said: Set<string>, text: string): number {
  const words = [...new Set(terms(text))];
  return words.length === 0 ? 0 : words.filter((word) => said.has(word)).length / words.length;
}
