import { isObject, type Json, objectsIn } from '../conversation.ts';

/** Tools that a conversation adds or removes on the way, including in its summary, in order. */
const changesIn = (messages: unknown): Json[] =>
  objectsIn(messages).flatMap(({ content }) =>
    objectsIn(content).flatMap((block) => (block.type === 'compaction' ? objectsIn(block.tool_changes) : [block])),
  );

/** The tools in effect at the end of a conversation: other vendors only know those of the request. */
export function toolsInForce(tools: unknown, messages: unknown): unknown {
  const changes = changesIn(messages).filter(({ type }) => type === 'tool_addition' || type === 'tool_removal');
  if (changes.length === 0 || (tools != null && !Array.isArray(tools))) return tools;
  const known: unknown[] = [...(tools ?? [])];
  const withdrawn = new Set<unknown>();
  for (const { type, tool } of changes) {
    const { name, definition } = isObject(tool) ? tool : {};
    const named = isObject(definition) ? definition.name : name;
    if (type === 'tool_removal') withdrawn.add(named);
    else withdrawn.delete(named);
    if (isObject(definition)) known.push(definition);
  }
  // The last definition of a name wins.
  const last = new Map(known.map((tool) => [isObject(tool) && tool.name ? tool.name : tool, tool]));
  return [...last].flatMap(([name, tool]) => (withdrawn.has(name) ? [] : [tool]));
}
