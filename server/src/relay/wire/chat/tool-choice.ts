import { isObject, type Json, type Params, type Tool } from '../conversation.ts';
import { invalid, readObject, requiredString } from '../read.ts';

/** Normalises `tool_choice`: multi-vendor clients also send Mistral's and Anthropic's forms. */
export function usualChoice(value: unknown): unknown {
  if (value === 'any') return 'required';
  if (!isObject(value)) return value;
  if (value.type === 'any' || value.type === 'required') return 'required';
  if (value.type === 'auto' || value.type === 'none') return value.type;
  return value.type === 'tool' ? { type: 'function', function: { name: value.name } } : value;
}

type Choice = Pick<Params, 'tools' | 'toolChoice' | 'rawToolChoice'>;

/** `tool_choice`, with the allowed tools if not all are. */
export function readToolChoice(value: unknown, tools: Tool[] = []): Choice {
  const choice = usualChoice(value);
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { toolChoice: { type: choice } };
  if (!isObject(choice)) throw invalid('tool_choice', `'tool_choice' must be auto, none, required, any or an object.`);
  if (choice.type === 'allowed_tools') return allowed(choice, tools) ?? { rawToolChoice: choice };
  if (choice.type !== 'function' && choice.type !== 'custom') return { rawToolChoice: choice };
  const at = `tool_choice.${choice.type}`;
  return { toolChoice: { type: 'tool', name: requiredString(readObject(choice[choice.type], at), 'name', at) } };
}

/**
 * Tools that are not allowed are hidden from the model, since other vendors cannot exclude some. Null if it is not only
 * about client-run tools.
 */
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
