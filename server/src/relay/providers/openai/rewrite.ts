import { without } from '../../../lib/is-object.ts';
import { table } from '../../../lib/table.ts';
import type { Vendor } from '../../../lib/vendors/vendor.ts';
import { functionCall, functionChoice, functionTool, hasCustom } from '../../wire/chat/custom-calls.ts';
import { usualChoice } from '../../wire/chat/tool-choice.ts';
import { isObject, type Json } from '../../wire/conversation.ts';
import { limitNames } from '../../wire/limit-names.ts';
import { unsupported } from '../../wire/read.ts';
import { shortId } from '../../wire/short-id.ts';
import { saidInWords } from './in-words.ts';
import { messageRules } from './message-rules.ts';

/** Our own parameters, which are never forwarded, and a name whose assignment sets what an object inherits. */
const ours = ['svc_ms', 'provider', 'models', '__proto__'];
/**
 * OpenRouter's own: they steer its routing, its dashboards, or what we do here for all vendors. Clients written for it
 * send them whoever answers, and several vendors refuse what they do not know.
 */
const openrouterOnly: ReadonlySet<string> = new Set([
  ...['route', 'transforms', 'include_reasoning', 'structured_outputs'],
  ...['session_id', 'trace', 'debug', 'cache_control'],
]);
/** A server of which nothing is known gets all that its client sends. */
const dropsOpenrouters = ({ id, knowsOpenrouter }: Vendor): boolean => id !== 'compatible' && !knowsOpenrouter;
/** Most vendors refuse empty `tools`, and a choice without tools. */
const ofTools = ['tools', 'tool_choice', 'parallel_tool_calls'];

interface RewriteOptions {
  modelName: string;
  vendor: Vendor;
  stream: boolean;
  /** The output limit in tokens; limits in the body are not forwarded. */
  limit: number | undefined;
}

/**
 * A chat body for an upstream of the same format: the original including unknown parameters, with the changes this
 * vendor needs. The given body is not modified, as the next candidate may need it.
 */
export function rewriteChatRequest(body: Json, options: RewriteOptions): Json {
  const { vendor, modelName, limit } = options;
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  const foreign = dropsOpenrouters(vendor);
  // Built anew instead of copied and deleted from: objects with deleted properties are slow to serialize.
  const out: Json = { model: modelName };
  for (const field in body) {
    if (field === 'model' || field === 'stream_options' || limitNames.has(field) || ours.includes(field)) continue;
    if (!hasTools && ofTools.includes(field)) continue;
    if (foreign && openrouterOnly.has(field)) continue;
    out[field] = body[field];
  }
  if (limit !== undefined) out[maxTokensField(vendor, modelName)] = limit;
  if (out.tool_choice != null) out.tool_choice = usualChoice(out.tool_choice);
  const takesCustom = vendor.customToolModels.test(modelName);
  if (!takesCustom && hasCustom(out.tools)) {
    out.tools = out.tools.map(functionTool);
    out.tool_choice = functionChoice(out.tool_choice);
  }
  if (out.usage !== undefined && !vendor.knowsOpenrouter) delete out.usage;
  dropLacking(out, vendor);
  inItsTerms(out, vendor);
  if (options.stream && vendor.asksStreamUsage)
    out.stream_options = { ...(isObject(body.stream_options) ? body.stream_options : {}), include_usage: true };
  const words = saidInWords(out, vendor, modelName);
  if (!Array.isArray(body.messages)) return out;
  const messages = rewriteMessages([...words, ...body.messages], vendor, takesCustom);
  out.messages = vendor.messageRules ? messageRules[vendor.messageRules](messages, out) : messages;
  return out;
}

export const reasoningModel = /(^|\/)(o\d|gpt-[5-9])/;

/** OpenAI's reasoning models refuse `max_tokens`, wherever they are served. */
const maxTokensField = (vendor: Vendor, modelName: string): Vendor['maxTokensField'] =>
  vendor.id === 'compatible' && reasoningModel.test(modelName) ? 'max_completion_tokens' : vendor.maxTokensField;

/** Parameters that must not be ignored, as the answer would differ, with a test for their use. */
const refusable = table<(value: unknown) => boolean>({
  n: (value) => typeof value === 'number' && value > 1,
  tools: (value) => value !== undefined,
  logprobs: (value) => value === true,
  stop: (value) => value != null && String(value) !== '',
  logit_bias: (value) => isObject(value) && Object.keys(value).length > 0,
});

function dropLacking(out: Json, vendor: Vendor): void {
  for (const field of vendor.lacks) {
    if (refusable[field]?.(out[field])) throw unsupported(field, refusal(field, vendor.name));
    if (field in out) delete out[field];
  }
}

function inItsTerms(out: Json, { renames = {}, mostTemperature }: Vendor): void {
  for (const [field, name] of Object.entries(renames)) {
    if (out[field] != null) out[name] = out[field];
    delete out[field];
  }
  const { temperature } = out;
  if (mostTemperature !== undefined && typeof temperature === 'number')
    out.temperature = Math.min(temperature, mostTemperature);
}

function refusal(field: string, vendor: string): string {
  if (field === 'n') return `'n' above 1 is not supported by ${vendor}.`;
  return field === 'tools' ? `Tools are not supported by ${vendor}.` : `'${field}' is not supported by ${vendor}.`;
}

function rewriteMessages(messages: unknown[], vendor: Vendor, takesCustom: boolean): unknown[] {
  const rewritten: unknown[] = [];
  for (const message of messages)
    rewritten.push(isObject(message) ? rewriteMessage(message, vendor, takesCustom) : message);
  return vendor.mergesSystem ? mergeSystem(rewritten) : rewritten;
}

const thinkingFields = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'];

/** Drops other vendors' reasoning, and nulls that mean absence; most messages pass unchanged. */
function rewriteMessage(message: Json, vendor: Vendor, takesCustom: boolean): Json {
  let out = message;
  const back: readonly string[] = vendor.reasoningBack;
  if (message.role === 'developer' && !vendor.knowsDeveloperRole) out = { ...out, role: 'system' };
  for (const field of thinkingFields) if (field in message && !back.includes(field)) out = without(out, field);
  const calls = message.tool_calls;
  if (calls === null || (Array.isArray(calls) && calls.length === 0)) out = without(out, 'tool_calls');
  else if (!takesCustom && hasCustom(calls)) out = { ...out, tool_calls: calls.map(functionCall) };
  else if (Array.isArray(calls) && !back.includes('extra_content') && calls.some(hasExtraContent))
    out = { ...out, tool_calls: calls.map((call) => (isObject(call) ? without(call, 'extra_content') : {})) };
  return withShortIds(out);
}

/** OpenAI refuses longer call ids, whoever made the call. */
const longestId = 40;
const isLong = (id: unknown): id is string => typeof id === 'string' && id.length > longestId;

function withShortIds(message: Json): Json {
  const { tool_calls: calls, tool_call_id: id } = message;
  if (isLong(id)) return { ...message, tool_call_id: shortId(id, longestId) };
  if (!Array.isArray(calls) || !calls.some((call) => isLong(call?.id))) return message;
  return {
    ...message,
    tool_calls: calls.map((call) => (isLong(call?.id) ? { ...call, id: shortId(call.id, longestId) } : call)),
  };
}

const hasExtraContent = (call: unknown): boolean => isObject(call) && 'extra_content' in call;

/** Merges system messages into one at the front. */
function mergeSystem(messages: unknown[]): unknown[] {
  const isSystem = (message: unknown): message is Json => isObject(message) && message.role === 'system';
  const texts = messages.filter(isSystem).map((message) => textOf(message.content));
  if (texts.length === 0) return messages;
  return [{ role: 'system', content: texts.join('\n\n') }, ...messages.filter((message) => !isSystem(message))];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n\n');
}
