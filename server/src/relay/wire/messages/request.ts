import {
  type Effort,
  efforts,
  isObject,
  type Json,
  type Params,
  type Reasoning,
  type ResponseFormat,
  type Sourced,
  type TextPart,
  type Tool,
  type ToolChoice,
  type Turn,
} from '../conversation.ts';
import { readModel } from '../model-names.ts';
import {
  invalid,
  maxInteger,
  missing,
  onlyGiven,
  optionalBoolean,
  optionalEnum,
  optionalInteger,
  optionalNumber,
  optionalString,
  readArray,
  readObject,
  readString,
  requiredString,
  weigh,
} from '../read.ts';
import { addTurn } from '../turns.ts';
import { readMessagesTool, withoutSearchTool } from '../web-search.ts';
import { readBlocks, readSystem } from './content.ts';
import { toolsInForce } from './tool-changes.ts';

/** Parses the body of `POST /v1/messages`, and of `count_tokens`, which has no `max_tokens`. */
export function parseMessagesRequest(value: unknown, use: 'create' | 'count_tokens' = 'create'): Sourced {
  const body = readObject(value, 'body');
  const bytes = weigh(body);
  const model = readModel(body);
  if (use === 'create' && body.max_tokens == null) throw missing('max_tokens');
  const system = readSystem(body.system);
  return {
    model,
    turns: readTurns(body, system),
    system,
    params: readParams(body),
    stream: optionalBoolean(body, 'stream') ?? false,
    includeUsage: true,
    source: { format: 'messages', body },
    bytes,
  };
}

function readTurns(body: Json, system: TextPart[]): Turn[] {
  if (body.messages === undefined || body.messages === null) throw missing('messages');
  const messages = readArray(body.messages, 'messages');
  if (messages.length === 0) throw invalid('messages', `'messages' must contain at least one message.`);
  const turns: Turn[] = [];
  const lastOfUser = messages.findLastIndex((item) => isObject(item) && item.role === 'user');
  messages.forEach((item, i) => {
    const param = `messages[${i}]`;
    const message = readObject(item, param);
    const role = requiredString(message, 'role', param);
    const isGone = role === 'system' && message.clear_at === 'next_user_message' && i < lastOfUser;
    if (isGone || (role === 'system' && message.content == null)) return;
    if (message.content === undefined || message.content === null) throw missing(`${param}.content`);
    const parts = readBlocks(message.content, `${param}.content`);
    if (role === 'system') system.push(...parts.filter((part): part is TextPart => part.type === 'text'));
    else if (role === 'user' || role === 'assistant') addTurn(turns, { role, parts });
    else throw invalid(`${param}.role`, `'${param}.role' must be user or assistant.`);
  });
  return turns;
}

function readParams(body: Json): Params {
  const choice = body.tool_choice == null ? undefined : readObject(body.tool_choice, 'tool_choice');
  const disableParallel = choice && optionalBoolean(choice, 'disable_parallel_tool_use', 'tool_choice');
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const all: Params = {
    maxTokens: optionalInteger(body, 'max_tokens', 0, maxInteger),
    temperature: optionalNumber(body, 'temperature', 0, 2),
    topP: optionalNumber(body, 'top_p', 0, 1),
    topK: optionalInteger(body, 'top_k', -1, maxInteger),
    stop: readStop(body.stop_sequences),
    ...readTools(toolsInForce(body.tools, body.messages)),
    toolChoice: choice && readToolChoice(choice),
    parallelToolCalls: disableParallel === undefined ? undefined : !disableParallel,
    responseFormat: readFormat(body),
    reasoning: readReasoning(body),
    user: optionalString(metadata, 'user_id', 'metadata'),
  };
  return onlyGiven(all);
}

function readStop(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  return readArray(value, 'stop_sequences').map((item, i) => readString(item, `stop_sequences[${i}]`));
}

/** Anthropic's tool search. Other vendors get all tools at once, so they do not need it. */
const ownSearch = /^tool_search_tool_(regex|bm25)(_\d+)?$/;

function readTools(value: unknown): Pick<Params, 'tools' | 'rawTools' | 'webSearch'> {
  if (value === undefined || value === null) return {};
  const tools: Tool[] = [];
  const rawTools: Json[] = [];
  readArray(value, 'tools').forEach((item, i) => {
    const at = `tools[${i}]`;
    const tool = readObject(item, at);
    const type = optionalString(tool, 'type', at);
    if (type !== undefined && type !== 'custom') {
      if (!ownSearch.test(type)) rawTools.push(tool);
      return;
    }
    const description = optionalString(tool, 'description', at);
    tools.push({
      name: requiredString(tool, 'name', at),
      ...(description !== undefined && { description }),
      ...(tool.input_schema != null && { parameters: readObject(tool.input_schema, `${at}.input_schema`) }),
      ...(tool.strict === true && { strict: true }),
      ...(tool.cache_control != null && { cacheControl: tool.cache_control }),
    });
  });
  return { ...(tools.length > 0 && { tools }), ...withoutSearchTool(rawTools, readMessagesTool) };
}

function readToolChoice(choice: Json): ToolChoice {
  switch (requiredString(choice, 'type', 'tool_choice')) {
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'any':
      return { type: 'required' };
    case 'tool':
      return { type: 'tool', name: requiredString(choice, 'name', 'tool_choice') };
    default:
      throw invalid('tool_choice.type', `'tool_choice.type' must be auto, any, tool or none.`);
  }
}

function readFormat(body: Json): ResponseFormat | undefined {
  const config = isObject(body.output_config) ? body.output_config : {};
  const format = config.format ?? body.output_format;
  if (!isObject(format) || format.type !== 'json_schema') return undefined;
  return { type: 'json_schema', name: 'answer', schema: readObject(format.schema, 'output_config.format.schema') };
}

function readReasoning(body: Json): Reasoning | undefined {
  const config = isObject(body.output_config) ? body.output_config : {};
  const effort: Effort | undefined = optionalEnum(config, 'effort', efforts, 'output_config');
  const given = effort === undefined ? {} : { effort };
  if (body.thinking == null) return effort === undefined ? undefined : given;
  const thinking = readObject(body.thinking, 'thinking');
  switch (requiredString(thinking, 'type', 'thinking')) {
    case 'enabled': {
      const budgetTokens = optionalInteger(thinking, 'budget_tokens', 1, maxInteger, 'thinking');
      if (budgetTokens === undefined) throw missing('thinking.budget_tokens');
      return { ...given, budgetTokens };
    }
    case 'disabled':
      return { effort: 'none' };
    default:
      return { ...given, adaptive: true };
  }
}
