import { isObject, type Json, type Params, type Tool } from '../conversation.ts';
import { customFunction } from '../custom-tools.ts';
import {
  invalid,
  missing,
  optionalBoolean,
  optionalEnum,
  optionalString,
  readArray,
  readObject,
  requiredString,
} from '../read.ts';
import type { ToolList } from './added-tools.ts';
import { searchName, ToolTable } from './tool-table.ts';

export interface ReadTools {
  tools: Tool[];
  /** Tools that OpenAI runs or trained for. */
  rawTools: Json[];
  table: ToolTable;
}

const kinds = new Set(['function', 'custom']);

/** `brought`: added by items during the conversation. */
export function readTools(value: unknown, brought: ToolList[] = []): ReadTools {
  const own = listed({ at: 'tools', tools: value });
  const later = brought.flatMap(listed);
  const functions = [...own, ...later].filter(({ tool }) => kinds.has(tool.type as string));
  const table = new ToolTable(functions.map(({ tool }) => tool.name as string));
  const rawTools: Json[] = [];
  const read = ({ tool, at }: Listed): Tool[] => {
    const type = requiredString(tool, 'type', at);
    if (type === 'namespace') return readNamespace(tool, at, table);
    if (kinds.has(type)) return [readTool(tool, at, table)];
    if (isClientSearch(tool)) return [readSearch(tool, at, table)];
    if (!isOwnSearch(tool)) rawTools.push(tool);
    return [];
  };
  const tools = own.flatMap(read);
  const found = later.flatMap(read);
  // Duplicates, and deferred tools that were found, count once.
  const all = found.length === 0 ? tools : [...new Map([...tools, ...found].map((tool) => [tool.name, tool])).values()];
  return { tools: all, rawTools, table };
}

interface Listed {
  tool: Json;
  at: string;
}

const listed = ({ at, tools }: ToolList): Listed[] =>
  tools == null
    ? []
    : readArray(tools, at).map((item, i) => ({ tool: readObject(item, `${at}[${i}]`), at: `${at}[${i}]` }));

/** OpenAI's tool search. Other vendors get all tools at once, so they do not need it. */
const isOwnSearch = ({ type, execution }: Json): boolean =>
  type === 'tool_search' && (execution == null || execution === 'server');

/** The client's own tool search: a function for other vendors; tools it finds are offered from then on. */
const isClientSearch = ({ type, execution }: Json): boolean => type === 'tool_search' && execution === 'client';

function readSearch(tool: Json, at: string, table: ToolTable): Tool {
  return {
    name: table.add(searchName),
    description:
      optionalString(tool, 'description', at) ?? 'Finds more tools, which can be called once they are found.',
    parameters: tool.parameters == null ? anyQuery : readObject(tool.parameters, `${at}.parameters`),
  };
}

const anyQuery = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

function readNamespace(space: Json, at: string, table: ToolTable): Tool[] {
  const namespace = requiredString(space, 'name', at);
  const about = optionalString(space, 'description', at);
  if (space.tools === undefined) throw missing(`${at}.tools`);
  return readArray(space.tools, `${at}.tools`).map((item, i) => {
    const place = `${at}.tools[${i}]`;
    const tool = readObject(item, place);
    if (!kinds.has(requiredString(tool, 'type', place)))
      throw invalid(`${place}.type`, `'${place}.type' must be function or custom.`);
    const read = readTool(tool, place, table, namespace);
    const description = [about, read.description].filter((text) => text).join('\n\n');
    return description === '' ? read : { ...read, description };
  });
}

function readTool(tool: Json, at: string, table: ToolTable, namespace?: string): Tool {
  const custom = tool.type === 'custom';
  const name = table.add({
    name: requiredString(tool, 'name', at),
    ...(namespace !== undefined && { namespace }),
    ...(custom && { custom }),
  });
  if (custom) return { name, ...customFunction(tool, at) };
  const description = optionalString(tool, 'description', at);
  const strict = optionalBoolean(tool, 'strict', at);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(tool.parameters != null && { parameters: readObject(tool.parameters, `${at}.parameters`) }),
    ...(strict !== undefined && { strict }),
  };
}

/** The search arguments; as text if they are no JSON. */
export function searchArguments(args: string): unknown {
  try {
    return JSON.parse(args === '' ? '{}' : args);
  } catch {
    return args;
  }
}

type Choice = Pick<Params, 'tools' | 'toolChoice' | 'rawToolChoice'>;

/** `tool_choice`, with the allowed tools. */
export function readToolChoice(value: unknown, { tools, table }: ReadTools): Choice {
  const all: Choice = tools.length > 0 ? { tools } : {};
  if (value == null) return all;
  if (value === 'auto' || value === 'none' || value === 'required') return { ...all, toolChoice: { type: value } };
  if (!isObject(value)) throw invalid('tool_choice', `'tool_choice' must be auto, none, required or an object.`);
  const type = requiredString(value, 'type', 'tool_choice');
  if (type === 'allowed_tools') return allowed(value, tools, table);
  if (!kinds.has(type)) return { ...all, rawToolChoice: value };
  const name = flatNames(value, 'tool_choice', tools, table)[0]!;
  return { ...all, toolChoice: { type: 'tool', name } };
}

/** Tools that are not allowed are hidden from the model, since other vendors cannot exclude some. */
function allowed(choice: Json, tools: Tool[], table: ToolTable): Choice {
  const mode = optionalEnum(choice, 'mode', ['auto', 'required'], 'tool_choice');
  if (mode === undefined) throw missing('tool_choice.mode');
  const names = new Set<string>();
  for (const [i, item] of readArray(choice.tools, 'tool_choice.tools').entries()) {
    const at = `tool_choice.tools[${i}]`;
    const tool = readObject(item, at);
    if (!kinds.has(requiredString(tool, 'type', at)) && tool.type !== 'namespace')
      return { tools, rawToolChoice: tool };
    for (const name of flatNames(tool, at, tools, table)) names.add(name);
  }
  const left = tools.filter(({ name }) => names.has(name));
  if (left.length === 0) throw invalid('tool_choice.tools', `'tool_choice.tools' must name at least one tool.`);
  return { tools: left, toolChoice: { type: mode } };
}

/** One tool, or all of a namespace. */
function flatNames(named: Json, at: string, tools: Tool[], table: ToolTable): string[] {
  const name = requiredString(named, 'name', at);
  const namespace = optionalString(named, 'namespace', at);
  const found =
    named.type === 'namespace'
      ? [...table.named].flatMap(([flat, tool]) => (tool.namespace === name ? [flat] : []))
      : [table.flatOf({ name, ...(namespace !== undefined && { namespace }) })];
  if (found.length > 0 && found.every((flat) => tools.some((tool) => tool.name === flat))) return found;
  throw invalid(at, `'${at}' names the tool '${name}', which is not in 'tools'.`);
}
