import { isObject, type Json, type Params, type Tool } from '../conversation.ts';
import { invalid, readObject, requiredString } from '../read.ts';

/** `tool_choice` in this format's own words: clients of several vendors also send Mistral's and Anthropic's. */
export function usualChoice(value: unknown): unknown {
  if (value === 'any') return 'required';
  if (!isObject(value)) return value;
  if (value.type === 'any' || value.type === 'required') return 'required';
  if (value.type === 'auto' || value.type === 'none') return value.type;
  return value.type === 'tool' ? { type: 'function', function: { name: value.name } } : value;
}

type Choice = Pick<Params, 'tools' | 'toolChoice' | 'rawToolChoice'>;

/** `tool_choice`, with the tools that it leaves where those are not all. */
export function readToolChoice(value: unknown, tools: Tool[] = []): Choice {
  const choice = usualChoice(value);
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { toolChoice: { type: choice } };
  if (!isObject(choice)) throw invalid('tool_choice', `'tool_choice' must be auto, none, required, any or an object.`);
  if (choice.type === 'allowed_tools') return allowed(choice, tools) ?? { rawToolChoice: choice };
  if (choice.type !== 'function' && choice.type !== 'custom') return { rawToolChoice: choice };
  const at = `tool_choice.${choice.type}`;
  return { toolChoice: { type: 'tool', name: requiredString(readObject(choice[choice.type], at), 'name', at) } };
}

/** Others are not shown to the model: no other vendor can be told to leave some alone. Null where it is not of what the client runs alone. */
function allowed(choice: Json, tools: Tool[]): Choice | null {
  const { mode, tools: named } = readObject(choice.allowed_tools, 'tool_choice.allowed_tools');
  if (!Array.isArray(named) || (mode !== 'auto' && mode !== 'required')) return null;
  const names = named.map((tool) => {
    const one = isObject(tool) ? (tool.function ?? tool.custom) : undefined;
    return isObject(one) && one.name;
  });
  const left = tools.filter(({ name }) => names.includes(name));
  return left.length === named.length ? { tools: left, toolChoice: { type: mode } } : null;
}
