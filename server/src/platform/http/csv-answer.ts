import type { Call } from './route.ts';
import { writtenAnswer } from './written-answer.ts';

export const csvAnswer = (call: Pick<Call, 'headers'>, name: string, lines: AsyncGenerator<string>): Response =>
  writtenAnswer(call, { name, type: 'text/csv; charset=utf-8' }, lines);
