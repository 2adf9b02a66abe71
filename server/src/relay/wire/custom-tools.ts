import { isObject, type Json, type Tool } from './conversation.ts';
import { invalid, optionalEnum, optionalString, readObject, requiredString } from './read.ts';

/** A tool that takes text, to models that know functions only: a grammar is told in words, as nothing else can hold it. */
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

/** A chat has the members of a grammar in one of its own, a response beside its type. */
function grammarOf(value: unknown, at: string): string | undefined {
  if (value == null) return undefined;
  const format = readObject(value, at);
  if (format.type === 'text') return undefined;
  if (format.type !== 'grammar') throw invalid(`${at}.type`, `'${at}.type' must be text or grammar.`);
  const grammar = format.grammar == null ? format : readObject(format.grammar, `${at}.grammar`);
  const syntax = optionalEnum(grammar, 'syntax', ['lark', 'regex'], at) ?? 'lark';
  return `The input must match this ${syntax} grammar:\n${requiredString(grammar, 'definition', at)}`;
}

/** The text that a model gave such a function; all of it where it gave something else. */
export function inputOf(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (isObject(value) && typeof value.input === 'string') return value.input;
  } catch {
    // Cut off, or no JSON at all.
  }
  return args;
}

export const argumentsOf = (input: string): string => JSON.stringify({ input });
