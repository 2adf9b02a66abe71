import { terms } from './search/terms.ts';

interface Worded {
  title: string;
  instruction: string;
  asked_for?: boolean;
}

/** From this share of its words on, a task is what the user said, not a step that the planner thought of. */
const ownWords = 2 / 3;

/**
 * Marks the tasks whose own result belongs into the answer. The planner says so; where it does not, a task that is
 * worded as the request is was asked for, in whatever language both are.
 */
export function markAskedFor<T extends Worded>(request: string, tasks: T[]): T[] {
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
