import { listOf, objectOf, type Shape, text } from '../ask-shaped.ts';
import type { ChatMessage } from '../messages.ts';
import { fenceRule, newFence } from './fence.ts';

const share = { type: 'number', minimum: 0, maximum: 1 };
export const evaluationShape: Shape = { name: 'evaluation', schema: objectOf({ score: share, feedback: text }) };
export const judgeShape: Shape = { name: 'judgement', schema: objectOf({ confidence: share, missing: listOf(text) }) };

/** Asks for a rating of one task's result: `{score, feedback}`. */
export function evaluationMessages(
  {
    request,
    instruction,
    result,
    said = [],
  }: { request: string; instruction: string; result: string; said?: string[] },
  fence = newFence(),
): ChatMessage[] {
  const parts = [
    'Judge how well the result does what the instruction asks: correct, complete, in the form asked for.',
    'Answer with JSON only: {"score": number from 0 to 1, "feedback": "what is missing or wrong, in one or two sentences"}',
    `Instruction:\n${fence.wrap('instruction', instruction)}`,
    `It serves this request, whose language, length, form and the like bind it too:\n${fence.wrap('request', request)}`,
    ...said,
    fenceRule(fence),
    `Result:\n${fence.wrap('result', result)}`,
  ];
  return [{ role: 'user', content: parts.join('\n\n') }];
}

/** Asks how far the goal is reached: `{confidence, missing}`. */
export function judgeMessages(
  goal: string,
  results: { title: string; text: string }[],
  fence = newFence(),
  said: string[] = [],
): ChatMessage[] {
  const parts = [
    'Judge whether the goal is reached by the results so far.',
    'Answer with JSON only: {"confidence": number from 0 to 1 that nothing is missing, "missing": ["what is still to be done", …]}',
    `Goal:\n${fence.wrap('goal', goal)}`,
    ...said,
    fenceRule(fence),
    ...results.map(({ title, text }) => `Result of "${title}":\n${fence.wrap('result', text)}`),
  ];
  return [{ role: 'user', content: parts.join('\n\n') }];
}
