import { parseChatRequest } from '../chat/request.ts';
import { isObject, type Json, type Params, type Sourced } from '../conversation.ts';
import {
  invalid,
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
  unsupported,
} from '../read.ts';

/** Fields with the same name in a chat. */
const same = ['model', 'max_tokens', 'temperature', 'seed', 'frequency_penalty', 'presence_penalty', 'stream'];
/** Our own extensions. */
const own = ['provider', 'models', 'svc_ms'];

/** Parses the body of `POST /v2/chat` as the equivalent chat. */
export function parseCohereRequest(value: unknown): Sourced {
  const body = readObject(value, 'body');
  if (optionalBoolean(body, 'logprobs')) throw unsupported('logprobs', `'logprobs' are not supported here.`);
  const stream = optionalBoolean(body, 'stream') ?? false;
  const kept = [...same, ...own].filter((name) => body[name] != null).map((name) => [name, body[name]]);
  const chat = parseChatRequest({
    ...Object.fromEntries(kept),
    ...(body.messages != null && { messages: [...documentsOf(body), ...messagesOf(body)] }),
    ...onlyGiven({
      top_p: optionalNumber(body, 'p', 0, 1),
      stop: body.stop_sequences == null ? undefined : stopsOf(body.stop_sequences),
      tools: body.tools == null ? undefined : toolsOf(body),
      tool_choice: optionalEnum(body, 'tool_choice', ['REQUIRED', 'NONE'])?.toLowerCase(),
      response_format: body.response_format == null ? undefined : formatOf(body.response_format),
      stream_options: stream ? { include_usage: true } : undefined,
    }),
  });
  // Not in the body: chat upstreams refuse unknown fields, and can answer without these.
  const params = { ...chat.params, ...onlyGiven({ topK: readTopK(body), reasoning: reasoningOf(body) }) };
  return { ...chat, params, cohere: true };
}

/** 0 means no limit. */
const readTopK = (body: Json): number | undefined => optionalInteger(body, 'k', 0, 500) || undefined;

const stopsOf = (value: unknown): string[] =>
  readArray(value, 'stop_sequences').map((item, i) => readString(item, `stop_sequences[${i}]`));

function reasoningOf(body: Json): Params['reasoning'] {
  if (body.thinking == null) return undefined;
  const thinking = readObject(body.thinking, 'thinking');
  const type = optionalEnum(thinking, 'type', ['enabled', 'disabled'], 'thinking');
  if (type === 'disabled') return { effort: 'none' };
  const budgetTokens = optionalInteger(thinking, 'token_budget', 1, 1_000_000, 'thinking');
  return budgetTokens === undefined ? { adaptive: true } : { budgetTokens };
}

function toolsOf(body: Json): unknown[] {
  const strict = optionalBoolean(body, 'strict_tools');
  return readArray(body.tools, 'tools').map((item, i) => {
    const tool = readObject(item, `tools[${i}]`);
    if (tool.type !== 'function') throw invalid(`tools[${i}].type`, `'tools[${i}].type' must be function.`);
    return strict && isObject(tool.function) ? { ...tool, function: { ...tool.function, strict } } : tool;
  });
}

function formatOf(value: unknown): Json {
  const format = readObject(value, 'response_format');
  const schema = format.json_schema ?? format.schema;
  if (format.type !== 'json_object' || schema == null) return format;
  const read = readObject(schema, 'response_format.json_schema');
  return { type: 'json_schema', json_schema: { name: 'answer', schema: read } };
}

/** Documents to answer from. Other models have no such feature and read them as text, without citations. */
function documentsOf(body: Json): Json[] {
  if (body.documents == null) return [];
  const texts = readArray(body.documents, 'documents').map((item, i) => textOf(item, `documents[${i}]`));
  return texts.length === 0
    ? []
    : [{ role: 'system', content: `Answer from these documents:\n\n${texts.join('\n\n')}` }];
}

/** A document is a string, or an object with arbitrary fields. */
function textOf(value: unknown, param: string): string {
  if (typeof value === 'string') return value;
  const { data, id } = readObject(value, param);
  const text = typeof data === 'string' ? data : JSON.stringify(readObject(data, `${param}.data`));
  return typeof id === 'string' ? `${id}: ${text}` : text;
}

const messagesOf = (body: Json): unknown[] =>
  readArray(body.messages, 'messages').map((item, i) => {
    const at = `messages[${i}]`;
    const message = readObject(item, at);
    if (message.role === 'assistant') return saidBefore(message, at);
    return message.role === 'tool' ? resultOf(message, at) : message;
  });

/** Unsigned reasoning cannot be returned to any vendor; the tool plan counts as text. */
function saidBefore({ content, tool_calls, tool_plan }: Json, at: string): Json {
  const parts = Array.isArray(content)
    ? content.filter((part) => !isObject(part) || part.type !== 'thinking')
    : content;
  const plan = tool_plan == null ? undefined : readString(tool_plan, `${at}.tool_plan`);
  const isSilent = parts == null || parts === '' || (Array.isArray(parts) && parts.length === 0);
  const said = isSilent ? plan : parts;
  return { role: 'assistant', ...onlyGiven({ content: said, tool_calls: tool_calls ?? undefined }) };
}

function resultOf(message: Json, at: string): Json {
  const { content } = message;
  const texts = Array.isArray(content) ? content.map((part, i) => resultText(part, `${at}.content[${i}]`)) : content;
  return { role: 'tool', tool_call_id: requiredString(message, 'tool_call_id', at), content: texts };
}

function resultText(value: unknown, param: string): Json {
  const part = readObject(value, param);
  if (part.type !== 'document') return { type: 'text', text: optionalString(part, 'text', param) ?? '' };
  return { type: 'text', text: textOf(part.document, `${param}.document`) };
}
