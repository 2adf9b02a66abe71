import { type Json, objectsIn } from '../conversation.ts';
import type { ToolTable } from './tool-table.ts';

/** Items that add tools during a conversation: tool search results, and tools added by the developer. */
export const addsTools = ({ type }: Json): boolean => type === 'tool_search_output' || type === 'additional_tools';

export interface ToolList {
  at: string;
  tools: unknown;
}

export const toolsIn = (items: Json[], at: string): ToolList[] =>
  items.flatMap((item, i) => (addsTools(item) ? [{ at: `${at}[${i}].tools`, tools: item.tools }] : []));

/** A search run by OpenAI has no call to be answered. */
export const isClientsSearch = ({ call_id: callId, execution }: Json): boolean =>
  typeof callId === 'string' && execution !== 'server';

/** What a model is told about a tool search: the tools themselves are among the request's. */
export function foundText(tools: unknown, table: ToolTable): string {
  const names = objectsIn(tools).flatMap((tool) =>
    tool.type === 'namespace'
      ? objectsIn(tool.tools).map(({ name }) => table.flatOf({ name: `${name}`, namespace: `${tool.name}` }))
      : [`${tool.name ?? tool.type}`],
  );
  return names.length === 0 ? 'No tools were found.' : `Found, and to be called by these names: ${names.join(', ')}`;
}
