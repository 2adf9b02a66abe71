import {
  efforts,
  isObject,
  type Json,
  type Params,
  type Part,
  type Sourced,
  type TextPart,
  type Tool,
  type Turn,
} from '../conversation.ts';
import { argumentsOf, customFunction } from '../custom-tools.ts';
import { mostThoughtsBeside, otherLimitNames } from '../limit-names.ts';
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
import { readChatOptions, readOpenaiTool, readPlugins, withoutSearchTool } from '../web-search.ts';
import { readContent, readResultContent, readTexts, withThinking } from './content.ts';
import { asksForFunctions, withTools } from './legacy-functions.ts';
import { readResponseFormat } from './response-format.ts';
import { readToolChoice } from './tool-choice.ts';

/** Parses the body of `POST /v1/chat/completions`. */
export function parseChatRequest(value: unknown): Sourced {
  const given = readObject(value, 'body');
  const bytes = weigh(given);
  const body = withTools(given);
  const model = readModel(body);
  const { system, turns } = readMessages(body);
  const params = readParams(body);
  const parsed: Sourced = {
    model,
    system,
    turns,
    params,
    stream: optionalBoolean(body, 'stream') ?? false,
    includeUsage: includesUsage(body),
    source: { format: 'chat', body },
    bytes,
  };
  if (body !== given && asksForFunctions(given)) parsed.oldFunctions = true;
  if (params.tools?.some(isCustom)) parsed.customTools = customIn(params.tools);
  return parsed;
}

function includesUsage({ stream_options: given, usage }: Json): boolean {
  const options = given == null ? undefined : readObject(given, 'stream_options');
  return (options && optionalBoolean(options, 'include_usage', 'stream_options')) ?? asksForUsage(usage);
}

const isCustom = ({ custom }: Tool): boolean => custom !== undefined;
const customIn = (tools: Tool[]): ReadonlySet<string> => new Set(tools.filter(isCustom).map(({ name }) => name));

/** OpenRouter's option. */
const asksForUsage = (usage: unknown): boolean => isObject(usage) && usage.include === true;

function readMessages(body: Json): { system: TextPart[]; turns: Turn[] } {
  if (body.messages === undefined || body.messages === null) throw missing('messages');
  const messages = readArray(body.messages, 'messages');
  if (messages.length === 0) throw invalid('messages', `'messages' must contain at least one message.`);
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  let inToolResults = false;
  for (let i = 0; i < messages.length; i += 1) {
    const param = nameOfMessage(i);
    const message = readObject(messages[i], param);
    const role = requiredString(message, 'role', param);
    if (role === 'system' || role === 'developer') {
      readTexts(message.content, `${param}.content`, system);
      continue;
    }
    const parts = readMessageParts(role, message, param);
    // Results of parallel calls are separate messages that belong to one turn.
    if (role === 'tool' && inToolResults) turns.at(-1)!.parts.push(...parts);
    else turns.push(turnOf(message, role, parts, param));
    inToolResults = role === 'tool';
  }
  return { system, turns };
}

/** Cached field paths, which only errors need; most conversations are short. */
const names = Array.from({ length: 64 }, (_, i) => `messages[${i}]`);
const nameOfMessage = (i: number): string => names[i] ?? `messages[${i}]`;

function readMessageParts(role: string, message: Json, param: string): Part[] {
  switch (role) {
    case 'user':
      if (message.content === undefined || message.content === null) throw missing(`${param}.content`);
      return readContent(message.content, `${param}.content`);
    case 'assistant':
      return withThinking(message, param, readAnswerParts(message, param));
    case 'tool': {
      const name = optionalString(message, 'name', param);
      return [
        {
          type: 'tool_result',
          callId: requiredString(message, 'tool_call_id', param),
          content: readResultContent(message.content, `${param}.content`),
          ...(name !== undefined && { name }),
        },
      ];
    }
    default:
      throw invalid(`${param}.role`, `'${param}.role' must be one of: system, developer, user, assistant, tool.`);
  }
}

/** Text and calls of an assistant message. */
export const readAnswerParts = (message: Json, param: string): Part[] => [
  ...readWords(message, param),
  ...readToolCalls(message.tool_calls, `${param}.tool_calls`),
];

/** The refusal or the audio transcript, if there is no other content. */
function readWords(message: Json, param: string): Part[] {
  const content = readContent(message.content, `${param}.content`);
  if (content.length > 0) return content;
  const spoken = [message.refusal, isObject(message.audio) ? message.audio.transcript : undefined];
  const text = spoken.find((words) => typeof words === 'string' && words !== '');
  return typeof text === 'string' ? [{ type: 'text', text }] : [];
}

function turnOf(message: Json, role: string, parts: Part[], param: string): Turn {
  const turn: Turn = { role: role === 'assistant' ? 'assistant' : 'user', parts };
  const name = role === 'tool' ? undefined : optionalString(message, 'name', param);
  if (name !== undefined) turn.name = name;
  return turn;
}

function readToolCalls(value: unknown, param: string): Part[] {
  if (value === undefined || value === null) return [];
  return readArray(value, param).map((item, i) => {
    const at = `${param}[${i}]`;
    const call = readObject(item, at);
    if (call.type === 'custom') return readCustomCall(call, at);
    const fn = readObject(call.function, `${at}.function`);
    const google = isObject(call.extra_content) && isObject(call.extra_content.google) ? call.extra_content.google : {};
    return {
      type: 'tool_call',
      id: requiredString(call, 'id', at),
      name: requiredString(fn, 'name', `${at}.function`),
      arguments: optionalString(fn, 'arguments', `${at}.function`) ?? '',
      ...(typeof google.thought_signature === 'string' && { signature: google.thought_signature }),
    };
  });
}

/** A call with free text; models that only know functions see it as such a call. */
function readCustomCall(call: Json, at: string): Part {
  const custom = readObject(call.custom, `${at}.custom`);
  return {
    type: 'tool_call',
    id: requiredString(call, 'id', at),
    name: requiredString(custom, 'name', `${at}.custom`),
    arguments: argumentsOf(optionalString(custom, 'input', `${at}.custom`) ?? ''),
  };
}

function readParams(body: Json): Params {
  const tools = body.tools == null ? undefined : readTools(body.tools);
  const all: Params = {
    maxTokens: readLimit(body),
    outputBeside: readPredicted(body),
    thoughtsBeside: readThoughts(body),
    temperature: optionalNumber(body, 'temperature', 0, 2),
    topP: optionalNumber(body, 'top_p', 0, 1),
    topK: optionalInteger(body, 'top_k', -1, maxInteger),
    stop: readStop(body.stop),
    ...tools,
    ...(body.web_search_options != null || body.plugins != null ? readSearch(body) : undefined),
    ...(body.tool_choice == null ? undefined : readToolChoice(body.tool_choice, tools?.tools)),
    parallelToolCalls: optionalBoolean(body, 'parallel_tool_calls'),
    responseFormat: readResponseFormat(body.response_format),
    seed: optionalInteger(body, 'seed', -maxInteger, maxInteger),
    frequencyPenalty: optionalNumber(body, 'frequency_penalty', -2, 2),
    presencePenalty: optionalNumber(body, 'presence_penalty', -2, 2),
    n: optionalInteger(body, 'n', 1, 128),
    logprobs: optionalBoolean(body, 'logprobs'),
    topLogprobs: optionalInteger(body, 'top_logprobs', 0, 20),
    reasoning: readReasoning(body),
    user: optionalString(body, 'user') ?? optionalString(body, 'safety_identifier'),
  };
  return onlyGiven(all);
}

/** The smallest of all given limits: whichever the upstream applies, the hold covers it. */
function readLimit(body: Json): number | undefined {
  const limit = optionalInteger(body, 'max_completion_tokens', 1, maxInteger);
  let least = optionalInteger(body, 'max_tokens', 1, maxInteger) ?? limit;
  if (limit !== undefined && limit < least!) least = limit;
  for (const name of otherLimitNames) {
    const value = body[name];
    if (Number.isSafeInteger(value) && (value as number) > 0) least = Math.min(value as number, least ?? maxInteger);
  }
  return least;
}

/** Rejected prediction tokens are billed as output. */
const readPredicted = ({ prediction }: Json): number | undefined =>
  prediction == null ? undefined : weigh(prediction);

/** Qwen's thinking has its own limit. */
function readThoughts({ thinking_budget: budget, enable_thinking: thinks }: Json): number | undefined {
  if (typeof budget === 'number' && budget > 0) return Math.min(Math.ceil(budget), maxInteger);
  return thinks === true && typeof budget !== 'number' ? mostThoughtsBeside : undefined;
}

function readReasoning(body: Json): Params['reasoning'] {
  const effort = optionalEnum(body, 'reasoning_effort', efforts);
  if (effort !== undefined) return { effort };
  if (!isObject(body.reasoning)) return undefined;
  if (body.reasoning.enabled === false) return { effort: 'none' };
  const nested = optionalEnum(body.reasoning, 'effort', efforts, 'reasoning');
  const budgetTokens = optionalInteger(body.reasoning, 'max_tokens', 0, maxInteger, 'reasoning');
  if (nested === undefined && budgetTokens === undefined)
    return body.reasoning.enabled === true ? { adaptive: true } : undefined;
  return { ...(nested !== undefined && { effort: nested }), ...(budgetTokens !== undefined && { budgetTokens }) };
}

function readStop(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string'
    ? [value]
    : readArray(value, 'stop').map((item, i) => readString(item, `stop[${i}]`));
}

function readTools(value: unknown): Pick<Params, 'tools' | 'rawTools' | 'webSearch'> {
  const tools: Tool[] = [];
  const rawTools: Json[] = [];
  readArray(value, 'tools').forEach((item, i) => {
    const tool = readObject(item, `tools[${i}]`);
    const type = requiredString(tool, 'type', `tools[${i}]`);
    if (type === 'custom') tools.push(readCustomTool(tool, `tools[${i}].custom`));
    else if (type !== 'function') rawTools.push(tool);
    if (type !== 'function') return;
    const at = `tools[${i}].function`;
    if (tool.function === undefined) throw missing(at);
    const fn = readObject(tool.function, at);
    const description = optionalString(fn, 'description', at);
    const strict = optionalBoolean(fn, 'strict', at);
    tools.push({
      name: requiredString(fn, 'name', at),
      ...(description !== undefined && { description }),
      ...(fn.parameters != null && { parameters: readObject(fn.parameters, `${at}.parameters`) }),
      ...(strict !== undefined && { strict }),
      ...(tool.cache_control !== undefined && { cacheControl: tool.cache_control }),
    });
  });
  return { ...(tools.length > 0 && { tools }), ...withoutSearchTool(rawTools, readOpenaiTool) };
}

function readCustomTool(tool: Json, at: string): Tool {
  const custom = readObject(tool.custom, at);
  return { name: requiredString(custom, 'name', at), ...customFunction(custom, at), custom };
}

/** Unknown search options stay in the body for upstreams that know them. */
function readSearch({ web_search_options: options, plugins }: Json): Pick<Params, 'webSearch'> {
  const webSearch =
    options == null
      ? readPlugins(plugins)
      : readChatOptions(readObject(options, 'web_search_options'), 'web_search_options');
  return webSearch ? { webSearch } : {};
}
