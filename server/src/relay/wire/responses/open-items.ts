import type { Json, ToolName } from '../conversation.ts';
import { inputOf } from '../custom-tools.ts';
import type { SearchPart } from '../search.ts';
import type { Thought } from './thoughts.ts';
import { searchArguments } from './tools.ts';

/** An output item that may still grow. */
export interface OpenItem<I = unknown> {
  item: Json & I & { id: string };
  index: number;
}

export interface OpenMessage extends OpenItem<{ content: Json[] }> {
  /** The last part while it is open. */
  part: Json | undefined;
  /** Characters sent before it. */
  before: number;
}

export interface OpenReasoning extends OpenItem<{ summary: { type: string; text: string }[] }> {
  partOpen: boolean;
  thoughts: Thought[];
}

export interface OpenCall extends OpenItem {
  tool: ToolName;
  args: string;
}

/** Position fields of an item's events. */
export const itemPlace = ({ item, index }: OpenItem): Json => ({ item_id: item.id, output_index: index });

export const placeOf = (message: OpenMessage): Json => ({
  ...itemPlace(message),
  content_index: message.item.content.length - 1,
});

export const summaryPlace = (reasoning: OpenReasoning): Json => ({
  ...itemPlace(reasoning),
  summary_index: reasoning.item.summary.length - 1,
});

/** A call as it starts. */
export function callItem(newId: (prefix: string) => string, callId: string, tool: ToolName): Json & { id: string } {
  const { custom, search, ...named } = tool;
  const begun = { status: 'in_progress', call_id: callId };
  if (search) return { id: newId('tsc'), type: 'tool_search_call', ...begun, execution: 'client', arguments: {} };
  return custom
    ? { id: newId('ctc'), type: 'custom_tool_call', ...begun, ...named, input: '' }
    : { id: newId('fc'), type: 'function_call', ...begun, ...named, arguments: '' };
}

/**
 * The text of a custom call is inside JSON, and a search has an object: both are sent when the arguments are complete.
 */
export const isToldWhole = ({ tool }: OpenCall): boolean => (tool.custom ?? tool.search) === true;

export function setWhole({ item, tool, args }: OpenCall): void {
  if (tool.search) item.arguments = searchArguments(args);
  else if (tool.custom) item.input = inputOf(args);
}

/** A web search, sent whole. */
export const searchItem = (id: string, { queries, pages }: SearchPart): Json & { id: string } => ({
  ...{ id, type: 'web_search_call', status: 'in_progress' },
  action: {
    ...{ type: 'search', query: queries.join(', '), queries },
    sources: pages.map(({ url }) => ({ type: 'url', url })),
  },
});
