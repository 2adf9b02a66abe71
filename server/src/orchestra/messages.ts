/** A message in the chat completions format; parts other than text are passed through unchanged. */
export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content: string | ContentPart[] | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  name?: string;
}

export interface ContentPart {
  type: string;
  text?: string;
  [key: string]: unknown;
}

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A stored message with its token count. Ids grow with time. */
export interface StoredTurnMessage {
  id: number;
  message: ChatMessage;
  tokens: number;
}

/** The text of a message; images and files are skipped. */
export function textOf(message: Pick<ChatMessage, 'content'>): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? [])
    .map((part) => part.text ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

export const isInstruction = (message: ChatMessage): boolean =>
  message.role === 'system' || message.role === 'developer';

/** Normalizes whitespace, so that a message still matches after a client trims or rewraps it. */
export const normalizeWhitespace = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** The user's text with the id it is stored under; the latest one if it was sent more than once. */
export const saidByUser = (history: StoredTurnMessage[], text: string): { id: number | null; text: string } => ({
  id: history.findLast(({ message }) => message.role === 'user' && textOf(message) === text)?.id ?? null,
  text,
});

/** The text of a message from its stored JSON. */
export const spokenText = (json: string): string => textOf(JSON.parse(json) as ChatMessage);
