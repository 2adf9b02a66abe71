import { type ChatMessage, textOf } from './request.ts';
import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const listOf = (properties: Record<string, Schema>): Schema => ({
  type: 'array',
  items: { type: 'object', properties },
});

const shapes: { members: string[]; schema: Schema }[] = [
  {
    members: ['tasks', 'depends_on'],
    schema: {
      properties: {
        description: text,
        tasks: listOf({ id: text, title: text, instruction: text, difficulty: text, depends_on: texts }),
      },
    },
  },
  { members: ['confidence', 'missing'], schema: { properties: { confidence: { type: 'number' }, missing: texts } } },
  { members: ['score', 'feedback'], schema: { properties: { score: { type: 'number' }, feedback: text } } },
  {
    members: ['facts', 'quote'],
    schema: {
      properties: { facts: listOf({ category: text, title: text, content: text, quote: text, keywords: texts }) },
    },
  },
];

/** Recognises known JSON shapes described in a prompt instead of a schema, by their member names. */
export function askedSchema(messages: ChatMessage[]): Schema | null {
  const instructions = messages.filter((one) => one.role !== 'assistant' && one.role !== 'tool').map(textOf);
  // The shape is in the system message or the last question, never in older turns.
  const asked = [instructions[0] ?? '', instructions.at(-1) ?? ''].join('\n');
  if (!/\bJSON\b/.test(asked)) return null;
  return shapes.find(({ members }) => members.every((name) => asked.includes(`"${name}":`)))?.schema ?? null;
}
