import { AppError } from '../../lib/errors.ts';
import { timedString } from '../../lib/ids.ts';
import { table } from '../../lib/table.ts';
import type { Item } from './keeper.ts';

/** Item types that clients may send, and their id prefixes. */
const prefixes = table<string>({
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  compaction: 'cmp',
  file_search_call: 'fs',
  web_search_call: 'ws',
  computer_call: 'cu',
  computer_call_output: 'cuo',
  code_interpreter_call: 'ci',
  image_generation_call: 'ig',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  additional_tools: 'at',
  configuration_update: 'cfg',
  local_shell_call: 'lsh',
  local_shell_call_output: 'lsho',
  shell_call: 'sh',
  shell_call_output: 'sho',
  apply_patch_call: 'apc',
  apply_patch_call_output: 'apco',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcpa',
  mcp_call: 'mcp',
  program: 'prg',
  program_output: 'prgo',
});

export const reference = 'item_reference';

/** Unguessable, as the id alone gives access. */
export const newId = (prefix: string): string => `${prefix}_${timedString(40)}`;

const usualId = /^[\w.:-]{1,200}$/;
/** Other ids name nothing; some cannot even be passed to PostgreSQL. */
export const isId = (id: unknown): id is string => typeof id === 'string' && usualId.test(id);
const roles = ['user', 'assistant', 'system', 'developer'];

/** A message may lack its type. */
export const typeOf = (item: Item): string =>
  typeof item.type === 'string' ? item.type : item.type === undefined && 'role' in item ? 'message' : '';

/**
 * Items in their stored form: messages with type and parts, each with an id unique in the list. Client ids are kept
 * unless another item of the list has the same.
 */
export function asKept(items: readonly Item[], nameFor = newId): Item[] {
  const known = new Set<string>();
  return items.map((given) => {
    const type = typeOf(given);
    const item = type === 'message' ? asMessage(given) : { ...given };
    if (!isId(item.id) || known.has(item.id)) item.id = nameFor(prefixes[type] ?? 'item');
    known.add(item.id as string);
    return item;
  });
}

function asMessage(given: Item): Item {
  const { content, role, status = 'completed' } = given;
  const text = (value: string): Item =>
    role === 'assistant'
      ? { type: 'output_text', text: value, annotations: [], logprobs: [] }
      : { type: 'input_text', text: value };
  const parts = typeof content === 'string' ? [text(content)] : content;
  return { ...given, type: 'message', status, content: parts };
}

const invalid = (param: string, message: string) => new AppError('invalid_value', message, { param });

/** Refuses items that no later request could use. */
export function checkItems(items: readonly Item[], param = 'items'): void {
  for (const [index, item] of items.entries()) {
    const at = `${param}[${index}]`;
    const type = typeOf(item);
    if (type === reference) {
      if (typeof item.id !== 'string') throw invalid(`${at}.id`, `'${at}.id' must be a string.`);
    } else if (type === 'message') checkMessage(item, at);
    else if (!prefixes[type])
      throw invalid(`${at}.type`, `Unknown item type: ${JSON.stringify(item.type ?? null)?.slice(0, 100)}.`);
  }
}

function checkMessage({ role, content }: Item, at: string): void {
  if (!roles.includes(role as string)) throw invalid(`${at}.role`, `'${at}.role' must be one of: ${roles.join(', ')}.`);
  const isPart = (part: unknown) => typeof part === 'object' && part !== null && 'type' in part;
  if (typeof content !== 'string' && !(Array.isArray(content) && content.every(isPart)))
    throw invalid(`${at}.content`, `'${at}.content' must be a string or an array of parts.`);
}

/** Fields shown only on request by `include`. */
export const includable = [
  ...['reasoning.encrypted_content', 'message.output_text.logprobs'],
  ...['file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources'],
  ...['message.input_image.image_url', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs'],
];

/**
 * An item as it is listed. Encrypted reasoning is stored with every item, since an answer may build on it, and omitted
 * here as OpenAI does.
 */
export function shown(item: Item, include: readonly string[]): Item {
  const type = typeOf(item);
  if (type === 'reasoning' && 'encrypted_content' in item && !include.includes('reasoning.encrypted_content')) {
    const { encrypted_content: _, ...rest } = item;
    return rest;
  }
  if (type === 'message' && Array.isArray(item.content) && !include.includes('message.output_text.logprobs'))
    return { ...item, content: item.content.map(withoutLogprobs) };
  return item;
}

function withoutLogprobs(part: unknown): unknown {
  const logprobs = (part as Item | null)?.logprobs;
  return Array.isArray(logprobs) && logprobs.length > 0 ? { ...(part as Item), logprobs: [] } : part;
}
