import { shortened } from '../../lib/cut-text.ts';
import type { ChatMessage } from '../messages.ts';
import { type Fence, fenceRule, newFence } from '../prompts/fence.ts';
import type { RunTask } from './state.ts';

export interface RevisionInput {
  goal: string;
  missing: string[];
  tasks: (RunTask & { text: string | null })[];
  maxTasks: number;
  /** The user's later instructions, as prompt parts. */
  said?: string[];
  tools?: string[];
}

/** Maximum characters of a result or remark shown to the model that revises the plan. */
const longest = 3000;

/** Asks for the tasks to do next; by listing them the model can split, merge, skip or add tasks. */
export function revisionMessages(input: RevisionInput, fence = newFence()): ChatMessage[] {
  const { goal, missing, tasks, maxTasks, said = [], tools = [] } = input;
  const rules = [
    'You revise the plan of work that other models do. You do not do the work yourself.',
    'Answer with one JSON object and nothing else:',
    '{"description": "why, in one sentence", "tasks": [{"id": "t1", "title": "short", "instruction": "what to do, complete in itself", "difficulty": "easy" | "medium" | "hard", "depends_on": ["ids whose results it needs"], "asked_for": true | false}]}',
    'asked_for: true where the result of this very task is one of the things that the goal asks for.',
    `List only the tasks to be done now, at most ${maxTasks}, as few as serve. Use the id of an existing task to have it done again with a better instruction; use new ids for new tasks, for the parts of one that is split, and for one that takes the place of several. Unfinished tasks that you leave out are dropped. Finished tasks keep their results: name them in depends_on where needed, and do not list them unless they are to be done again.`,
    ...(tools.length > 0 ? [`Tasks can call these tools: ${tools.join(', ')}.`] : []),
  ];
  const parts = [
    `Goal:\n${fence.wrap('goal', goal)}`,
    ...said,
    fenceRule(fence),
    `Still missing:\n${fence.wrap('missing', missing.length > 0 ? cut(missing.join('\n')) : 'not said')}`,
    'Tasks so far:',
    ...tasks.map((task) => [headOf(task), ...bodyOf(task, fence)].join('\n')),
  ];
  return [
    { role: 'system', content: rules.join('\n') },
    { role: 'user', content: parts.join('\n\n') },
  ];
}

const headOf = ({ id, title, status, difficulty, score }: RunTask): string =>
  `- ${id} "${title}" (${status}, ${difficulty}${score === null ? '' : `, score ${score}`})`;

/** Text written by models stays inside the fence. */
function bodyOf({ text, feedback, error }: RevisionInput['tasks'][number], fence: Fence): string[] {
  const notes = [feedback, error].filter((note) => note);
  return [
    ...(text === null ? [] : [fence.wrap('result', cut(text))]),
    ...(notes.length === 0 ? [] : [fence.wrap('remarks', cut(notes.join('\n')))]),
  ];
}

const cut = (text: string): string => shortened(text, longest);
