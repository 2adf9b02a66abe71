import { isObject } from '../conversation.ts';

/** `tool_choice` in this format's own words: clients of several vendors also send Mistral's and Anthropic's. */
export function usualChoice(value: unknown): unknown {
  if (value === 'any') return 'required';
  if (!isObject(value)) return value;
  if (value.type === 'any' || value.type === 'required') return 'required';
  if (value.type === 'auto' || value.type === 'none') return value.type;
  return value.type === 'tool' ? { type: 'function', function: { name: value.name } } : value;
}
