import { shortened } from '../../lib/cut-text.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { fenceRule, newFence } from './fence.ts';

/** Longest part of one message shown to the models that maintain the memory. */
const longest = 8000;

/** Asks for the rolling summary, given the previous one and the messages since. */
export function summaryMessages(previous: string | null, since: ChatMessage[], fence = newFence()): ChatMessage[] {
  const parts = [
    'Write the summary that replaces this conversation in memory. Keep: what the user wants, decisions, facts, names, numbers, code identifiers, open questions, preferences. Leave out: greetings and wording. At most 400 words of plain prose or short points, in the language of the conversation. Answer with the summary alone.',
    fenceRule(fence),
  ];
  if (previous) parts.push(`Summary until now:\n${fence.wrap('summary', previous)}`);
  parts.push(`Since then:\n${fence.wrap('conversation', transcript(since))}`);
  return [{ role: 'user', content: parts.join('\n\n') }];
}

/** Asks for facts worth keeping across conversations, each with a quote that proves it. */
export function extractionMessages(messages: ChatMessage[], fence = newFence()): ChatMessage[] {
  const task = [
    'From the conversation below, extract facts that will still be true and useful in later conversations: about the user, their projects, preferences, decisions, environment. No small talk, no general knowledge, nothing that only matters now. None is a fine answer.',
    'Answer with JSON only: {"facts": [{"category": "one word", "title": "short", "content": "one full sentence", "keywords": ["…"], "quote": "the exact words of the user that state it"}]}',
    'A fact whose quote is not word for word in a message of the user is thrown away.',
    fenceRule(fence),
    fence.wrap('conversation', transcript(messages)),
  ];
  return [{ role: 'user', content: task.join('\n\n') }];
}

export const transcript = (messages: ChatMessage[]): string =>
  messages
    .map((message) => {
      const calls = (message.tool_calls ?? []).map(
        (call) => `[calls ${call.function.name}(${call.function.arguments})]`,
      );
      const text = [textOf(message), ...calls].filter((part) => part !== '').join('\n');
      return `${message.role}: ${shortened(text, longest)}`;
    })
    .join('\n\n');
