import type { Json } from '../conversation.ts';
import type { SearchPart } from '../search.ts';
import type { Thought } from './thoughts.ts';

/** An item of the output that more may come of. */
export interface OpenItem<I = unknown> {
  item: Json & I & { id: string };
  index: number;
}

export interface OpenMessage extends OpenItem<{ content: Json[] }> {
  /** The last part while it is open. */
  part: Json | undefined;
  /** Letters that were said before it. */
  before: number;
}

export interface OpenReasoning extends OpenItem<{ summary: { type: string; text: string }[] }> {
  partOpen: boolean;
  thoughts: Thought[];
}

export interface OpenCall extends OpenItem {
  custom: boolean;
  args: string;
}

/** Where events of each belong. */
export const itemPlace = ({ item, index }: OpenItem): Json => ({ item_id: item.id, output_index: index });

export const placeOf = (message: OpenMessage): Json => ({
  ...itemPlace(message),
  content_index: message.item.content.length - 1,
});

export const summaryPlace = (reasoning: OpenReasoning): Json => ({
  ...itemPlace(reasoning),
  summary_index: reasoning.item.summary.length - 1,
});

/** A search of the web; it is told whole. */
export const searchItem = (id: string, { queries, pages }: SearchPart): Json & { id: string } => ({
  ...{ id, type: 'web_search_call', status: 'in_progress' },
  action: {
    ...{ type: 'search', query: queries.join(', '), queries },
    sources: pages.map(({ url }) => ({ type: 'url', url })),
  },
});
