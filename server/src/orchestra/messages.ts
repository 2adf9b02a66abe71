/** One chat message in the widely used wire format; parts other than text pass through untouched. */
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

/** A stored message with what it weighs. Ids grow with time. */
export interface Remembered {
  id: number;
  message: ChatMessage;
  tokens: number;
}

/** The readable text of a message; pictures and files leave nothing. */
export function textOf(message: Pick<ChatMessage, 'content'>): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? [])
    .map((part) => part.text ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

export const isInstruction = (message: ChatMessage): boolean =>
  message.role === 'system' || message.role === 'developer';

/** Same words whatever the spaces, so that a client that trims or rewraps still matches. */
export const squeeze = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** What the user said, with the id it is stored under, the latest if it was said more than once. */
export const saidByUser = (history: Remembered[], text: string): { id: number | null; text: string } => ({
  id: history.findLast(({ message }) => message.role === 'user' && textOf(message) === text)?.id ?? null,
  text,
});

/** The text of a message as it is stored. */
export const spokenText = (json: string): string => textOf(JSON.parse(json) as ChatMessage);
