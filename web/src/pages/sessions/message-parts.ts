import type { ToolCall } from '../../components/tool-call.tsx';
import { t } from '../../language/words.ts';

/** A map, since callers choose the types that are looked up. */
const partNames = new Map([
  ['image_url', t('image url')],
  ['input_audio', t('input audio')],
  ['video_url', t('video url')],
  ['file', t('file')],
  ['part', t('part')],
]);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The text of a message. Images and files are named but not loaded, because their URLs may point to third parties. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === null || content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      if (!isRecord(part)) return textOf(part);
      if (typeof part.text === 'string') return part.text;
      const type = typeof part.type === 'string' ? part.type : 'part';
      return `[${partNames.get(type) ?? type.replaceAll('_', ' ')}]`;
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

export function toolCallsOf(calls: unknown[] | undefined): ToolCall[] {
  return (calls ?? []).flatMap((call) => {
    if (!isRecord(call) || !isRecord(call.function)) return [];
    return [{ id: textOf(call.id), name: textOf(call.function.name), arguments: textOf(call.function.arguments) }];
  });
}

/** Tool names by call id, for labelling the results that follow. */
export function toolNames(messages: { tool_calls?: unknown[] }[]): Map<string, string> {
  return new Map(messages.flatMap(({ tool_calls }) => toolCallsOf(tool_calls).map(({ id, name }) => [id, name])));
}
