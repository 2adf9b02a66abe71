import type { Json } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';
import { objectOf, textOf } from './fields.ts';

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** For models that cannot be kept from calling otherwise. */
const callNothing = 'Answer in words; do not call any tool.';

/**
 * The tools, and instructions that replace unsupported settings. Turns with calls are refused without the called tools,
 * and there is no choice that forbids all of them.
 */
export function toolConfigOf(
  tools: readonly Json[],
  choice: unknown,
  turns: { content: Json[] }[],
): { toolConfig?: Json; words: string[] } {
  for (const { name } of tools) refuseName(textOf(name));
  const { type, name } = objectOf(choice);
  const free = tools.length > 0 && type !== 'none';
  const known = new Set(tools.map((tool) => tool.name));
  const called = [...new Set(turns.flatMap(({ content }) => content.flatMap(callIn)))];
  if (!free && called.length === 0) return { words: [] };
  const specs = [...tools.map(specOf), ...called.filter((one) => !known.has(one)).map(bareSpec)];
  if (!free) return { toolConfig: { tools: specs }, words: [callNothing] };
  const forced = type === 'any' ? { any: {} } : type === 'tool' ? { tool: { name } } : undefined;
  return { toolConfig: { tools: specs, ...(forced && { toolChoice: forced }) }, words: [] };
}

function refuseName(name: string): void {
  if (!toolName.test(name))
    throw unsupported('tools', `The name '${name}' is not supported by this model: it must match ${toolName.source}.`);
}

const callIn = ({ toolUse }: Json): string[] => (toolUse ? [textOf(objectOf(toolUse).name)] : []);

const specOf = ({ name, description, input_schema }: Json): Json => ({
  toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json: input_schema } },
});

const bareSpec = (name: string): Json => specOf({ name, input_schema: { type: 'object', properties: {} } });
