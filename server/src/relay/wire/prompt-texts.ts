import type { Conversation, Part } from './conversation.ts';
import { isRawMedia, isReasoningDetail } from './raw-part.ts';

/** All texts of a request that a model reads, to count tokens before the call. */
export function promptTexts({ system, turns, params }: Conversation): string[] {
  const texts: string[] = [];
  for (const part of system) texts.push(part.text);
  for (const turn of turns) for (const part of turn.parts) addTexts(part, texts);
  if (params.tools)
    for (const { name, description, parameters } of params.tools)
      texts.push(`${name} ${description ?? ''} ${JSON.stringify(parameters ?? {})}`);
  if (params.rawTools) for (const tool of params.rawTools) texts.push(JSON.stringify(tool));
  if (params.responseFormat?.type === 'json_schema') texts.push(JSON.stringify(params.responseFormat.schema));
  return texts;
}

function addTexts(part: Part, texts: string[]): void {
  if (part.type === 'text' || part.type === 'thinking') texts.push(part.text);
  else if (part.type === 'tool_call') texts.push(`${part.name} ${part.arguments}`);
  else if (part.type === 'tool_result') for (const inner of part.content) addTexts(inner, texts);
  else if (part.type === 'file' && 'text' in part.source) texts.push(part.source.text);
  else if (part.type === 'raw' && !isRawMedia(part) && !isReasoningDetail(part)) texts.push(JSON.stringify(part.value));
}
