import { beginningOf } from '../../lib/cut-text.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import type { PlanTask } from '../plan.ts';
import type { SharedResult } from '../task/results.ts';
import { type Fence, fenceRule } from './fence.ts';

export interface PlannerInput {
  request: string;
  /** Memory and conversation before the request. */
  context: ChatMessage[];
  maxTasks: number;
  tools: string[];
  /** The planner's last answer and its faults. */
  last: { answer: string; faults: string[] } | null;
}

export function plannerMessages({ request, context, maxTasks, tools, last }: PlannerInput): ChatMessage[] {
  const rules = [
    'You split a request into tasks for other models. You do not answer it yourself.',
    'Answer with one JSON object and nothing else:',
    '{"description": "one sentence", "tasks": [{"id": "t1", "title": "short", "instruction": "what to do, complete in itself", "difficulty": "easy" | "medium" | "hard", "depends_on": ["ids whose results it needs"], "asked_for": true | false}]}',
    `At most ${maxTasks} tasks, as few as serve. Tasks that do not need each other have no dependency, so that they run at once. No circles. One task is right when the request is one piece of work.`,
    'asked_for: true where the user wants to be given the result of this very task, false for steps on the way and for what a later task takes over whole.',
    'easy: lookups, rewording, extraction. medium: ordinary writing, code, reasoning. hard: long reasoning, proofs, design.',
  ];
  if (tools.length > 0) rules.push(`Tasks can call these tools: ${tools.join(', ')}.`);
  const ask: ChatMessage = { role: 'user', content: `Split this request into tasks:\n\n${request}` };
  const again: ChatMessage[] = last
    ? [
        { role: 'assistant', content: beginningOf(last.answer, 8000) },
        {
          role: 'user',
          content: `That plan cannot be used:\n${last.faults.map((fault) => `- ${fault}`).join('\n')}\nAnswer with a corrected JSON object only.`,
        },
      ]
    : [];
  return [{ role: 'system', content: rules.join('\n') }, ...context, ask, ...again];
}

export interface TaskInput {
  /** The client's system messages, memory and conversation, without the request itself. */
  context: ChatMessage[];
  request: ChatMessage;
  task: PlanTask;
  /** Results of the tasks that this one depends on. */
  results: SharedResult[];
  /** A judge's feedback on an earlier result. */
  remarks?: string | null | undefined;
  /** Whether its result is the answer that the user reads. */
  final: boolean;
  fence: Fence;
}

/**
 * Fenced, because a judge has read output of models and tools and may repeat injected instructions: its remarks
 * describe the work, they do not speak for the user.
 */
export const remarkParts = (remarks: string | null | undefined, fence: Fence): string[] =>
  remarks
    ? [
        `An earlier result was not good enough. Make good what was found wanting in it:\n${fence.wrap('remarks', remarks)}`,
      ]
    : [];

/** The prompt for a task within a plan. Images and files of the request are kept. */
export function taskMessages(input: TaskInput): ChatMessage[] {
  const { context, request, task, results, remarks, final, fence } = input;
  const parts = [
    final
      ? 'The request below was worked on as several tasks; this is the last. Its result is the answer the user reads: complete, in the language of the request, without mentioning tasks.'
      : 'The request below is being worked on as several tasks. Do only this one; its result goes to the others.',
    `Your task: ${task.title}\n${task.instruction}`,
  ];
  const told = [
    ...(results.length > 0 ? [`Results of earlier tasks:\n${resultList(results, fence)}`] : []),
    ...remarkParts(remarks, fence),
  ];
  if (told.length > 0) parts.push(fenceRule(fence), ...told);
  // The user's own words: they apply even if the planner did not copy them into the task.
  parts.push(
    `The whole request, in the user's own words. What it says about language, length, form, audience and the like holds for your task too:\n\n${textOf(request)}`,
  );
  const text = parts.join('\n\n');
  const attachments = Array.isArray(request.content) ? request.content.filter((part) => part.text === undefined) : [];
  const content = attachments.length > 0 ? [{ type: 'text', text }, ...attachments] : text;
  return [...context, { role: 'user', content }];
}

export interface SynthesisInput {
  context: ChatMessage[];
  request: ChatMessage;
  results: SharedResult[];
  fence: Fence;
}

export function synthesisMessages({ context, request, results, fence }: SynthesisInput): ChatMessage[] {
  const wanted = results.filter(({ text, asked }) => asked && text !== null).map(({ title }) => `"${title}"`);
  const note = [
    'The request that follows was worked on as several tasks. Write the answer to it from their results: complete, in one voice, in the language of the request, without mentioning tasks or plans. Where a result is missing, say what could not be found out.',
    ...(wanted.length > 0
      ? [`The user wants the results of these as they are, each in full: ${wanted.join(', ')}.`]
      : []),
    fenceRule(fence),
    resultList(results, fence),
  ];
  return [...context, { role: 'system', content: note.join('\n\n') }, request];
}

const resultList = (results: SharedResult[], fence: Fence): string =>
  results
    .map(({ title, text, error }) =>
      text === null
        ? `Task "${title}" failed (${error ?? 'no result'}); do without it.`
        : `Task "${title}"${error === 'cut_off' ? ', cut off at its end' : ''}:\n${fence.wrap('result', text)}`,
    )
    .join('\n\n');
