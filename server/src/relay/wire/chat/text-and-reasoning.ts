import { isObject } from '../conversation.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Text and reasoning of an assistant's content: null, absent, a string, or parts (Mistral puts reasoning there). */
export function textAndReasoningIn(content: unknown): { said: string; thought: string } {
  if (!Array.isArray(content)) return { said: text(content), thought: '' };
  let said = '';
  let thought = '';
  for (const part of content) {
    if (!isObject(part)) continue;
    if (part.type === 'text') said += text(part.text);
    else if (part.type === 'thinking')
      thought += Array.isArray(part.thinking) ? textAndReasoningIn(part.thinking).said : text(part.thinking);
  }
  return { said, thought };
}
