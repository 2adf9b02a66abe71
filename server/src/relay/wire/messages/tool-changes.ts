import { isObject, type Json, objectsIn } from '../conversation.ts';

/** Tools that a conversation brings in or withdraws as it goes on, a summary of it included, in the order it does. */
const changesIn = (messages: unknown): Json[] =>
  objectsIn(messages).flatMap(({ content }) =>
    objectsIn(content).flatMap((block) => (block.type === 'compaction' ? objectsIn(block.tool_changes) : [block])),
  );

/** The tools in force at the end of a conversation: others than Anthropic know those of the request alone. */
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
  // The last of a name counts.
  const last = new Map(known.map((tool) => [isObject(tool) && tool.name ? tool.name : tool, tool]));
  return [...last].flatMap(([name, tool]) => (withdrawn.has(name) ? [] : [tool]));
}
