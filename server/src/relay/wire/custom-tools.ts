import { isObject, type Json, type Tool } from './conversation.ts';
import { invalid, optionalEnum, optionalString, readObject, requiredString } from './read.ts';

/** A free-text tool as a function, for models that only know functions; a grammar is described in words. */
export function customFunction(tool: Json, at: string): Omit<Tool, 'name'> {
  const description = optionalString(tool, 'description', at);
  const told = [description, grammarOf(tool.format, `${at}.format`)].filter((text) => text).join('\n\n');
  return {
    ...(told !== '' && { description: told }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}

/** Chats nest the grammar's fields, responses have them beside the type. */
function grammarOf(value: unknown, at: string): string | undefined {
  if (value == null) return undefined;
  const format = readObject(value, at);
  if (format.type === 'text') return undefined;
  if (format.type !== 'grammar') throw invalid(`${at}.type`, `'${at}.type' must be text or grammar.`);
  const grammar = format.grammar == null ? format : readObject(format.grammar, `${at}.grammar`);
  const syntax = optionalEnum(grammar, 'syntax', ['lark', 'regex'], at) ?? 'lark';
  return `The input must match this ${syntax} grammar:\n${requiredString(grammar, 'definition', at)}`;
}

/** The text passed to such a function; the raw arguments if they have another form. */
export function inputOf(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (isObject(value) && typeof value.input === 'string') return value.input;
  } catch {
    // Truncated, or not JSON.
  }
  return args;
}

export const argumentsOf = (input: string): string => JSON.stringify({ input });
