import type { ChatMessage } from '../messages.ts';
import { type Fence, fenceRule } from './fence.ts';

export interface Memory {
  summary: string | null;
  /** Recalled texts, best first. */
  recalled: { source: string; text: string }[];
}

/** The engine's memory as one system message, placed after the client's own; none if there is nothing to tell. */
export function memoryMessages({ summary, recalled }: Memory, fence: Fence): ChatMessage[] {
  if (!summary && recalled.length === 0) return [];
  const parts = [fenceRule(fence)];
  if (summary) parts.push(`The conversation so far, in short:\n${fence.wrap('summary', summary)}`);
  if (recalled.length > 0) {
    const entries = recalled.map(({ source, text }) => fence.wrap(`source="${source.replace(/["<>\n]/g, '')}"`, text));
    const use =
      'From earlier conversations and notes, where it helps, each with its day: where two contradict each other, the later one counts; cite a source by its name where that matters';
    parts.push(`${use}:\n${entries.join('\n')}`);
  }
  return [{ role: 'system', content: parts.join('\n\n') }];
}
