/** What each vendor rejects in a chat request, and its error message: tests notice if the gateway builds a bad body. */
import type { Json } from '../server/src/relay/wire/conversation.ts';
import type { Kind } from './relay-replies.ts';
import { type Asked, refuse, type Script } from './upstream.ts';

/** Null if the vendor accepts the request. */
type Rule = (asked: Asked) => string | null;

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

const unknownOf = (known: string, value: Json): string | undefined => {
  const names = new Set(known.split(' '));
  return Object.keys(value).find((name) => !names.has(name));
};

const openaiMembers =
  'model messages stream stream_options temperature top_p max_tokens max_completion_tokens stop n seed user tools tool_choice ' +
  'parallel_tool_calls response_format reasoning_effort verbosity logprobs top_logprobs frequency_penalty presence_penalty ' +
  'logit_bias metadata store prompt_cache_key safety_identifier service_tier modalities prediction';

function openaiRule({ body }: Asked): string | null {
  const unknown = unknownOf(openaiMembers, body);
  if (unknown) return `Unrecognized request argument supplied: ${unknown}`;
  if (body.stream_options && body.stream !== true) return "'stream_options' is only allowed when 'stream' is enabled.";
  if (body.tools && list(body.tools).length === 0) return "Invalid 'tools': empty array.";
  for (const tool of list(body.tools)) {
    const { name } = (tool.function ?? {}) as { name?: string };
    if (tool.type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name ?? '')) return `Invalid 'tools': ${name}`;
  }
  let open = new Set<unknown>();
  for (const message of list(body.messages)) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id))
        return "'tool' must be a response to a preceding message with 'tool_calls'.";
      continue;
    }
    if (open.size > 0) return "An assistant message with 'tool_calls' must be followed by tool messages";
    const calls = list(message.tool_calls);
    const long = calls.find(({ id }) => `${id}`.length > 40);
    if (long) return `Invalid 'tool_calls[0].id': string too long: ${long.id}`;
    if (message.content == null && calls.length === 0)
      return "Invalid value for 'content': expected a string, got null.";
    open = new Set(calls.map(({ id }) => id));
  }
  return open.size > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages" : null;
}

const anthropicMembers =
  'model messages max_tokens system stream temperature top_p top_k stop_sequences tools tool_choice metadata thinking ' +
  'output_config service_tier cache_control container context_management mcp_servers';

function anthropicRule({ body, headers }: Asked): string | null {
  const unknown = unknownOf(anthropicMembers, body);
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  if (!headers.get('anthropic-version')) return 'anthropic-version: header is required';
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
  for (const { name, type, input_schema: schema } of list(body.tools)) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(`${name}`)) return `tools: ${name}: String should match pattern`;
    if (!type && (schema as Json | undefined)?.type !== 'object') return 'tools: input_schema.type: Field required';
  }
  const messages = list(body.messages);
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, { role, content }] of messages.entries()) {
    if (content === '' || list(content).some(({ type, text }) => type === 'text' && text === ''))
      return 'messages: text content blocks must be non-empty';
    // Instructions in the middle of a conversation are sent as system messages.
    if (!['user', 'assistant', 'system'].includes(`${role}`)) return `messages: Unexpected role "${role}"`;
    const called = idsOf(messages[index - 1]?.content, 'tool_use', 'id');
    const answered = idsOf(content, 'tool_result', 'tool_use_id');
    if (called.join() !== answered.join())
      return `messages.${index}: tool_use ids without tool_result blocks, or reverse`;
  }
  return idsOf(messages.at(-1)?.content, 'tool_use', 'id').length > 0 ? 'messages: tool_use without tool_result' : null;
}

const idsOf = (content: unknown, type: string, id: string): unknown[] =>
  list(content)
    .filter((block) => block.type === type)
    .map((block) => block[id])
    .sort();

const geminiMembers =
  'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels model';
const geminiSchema =
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength ' +
  'maxLength pattern example anyOf propertyOrdering default items minimum maximum';

function geminiRule({ body }: Asked): string | null {
  const unknown = unknownOf(geminiMembers, body);
  if (unknown) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
  const declared = list(body.tools).flatMap((tool) => list(tool.functionDeclarations));
  const misnamed = declared.find(({ name }) => !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(`${name}`));
  if (misnamed) return `Invalid function name: ${misnamed.name}`;
  const strange = declared.map(({ parameters }) => parameters && strangeIn(parameters as Json)).find(Boolean);
  if (strange) return `Invalid JSON payload received. Unknown name "${strange}" at 'tools': Cannot find field.`;
  const contents = list(body.contents);
  if (contents.length === 0) return 'contents is not specified';
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== undefined && role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    if (list(parts).length === 0) return 'Unable to submit request: must include at least one parts field';
    const calls = list(contents[index - 1]?.parts).filter((part) => part.functionCall).length;
    const results = list(parts).filter((part) => part.functionResponse).length;
    if (calls !== results) return 'the number of function response parts must equal that of the function call parts';
  }
  return list(contents.at(-1)?.parts).some((part) => part.functionCall) ? 'function call without its response' : null;
}

/** The first field of a schema that Gemini's `Schema` does not have. */
function strangeIn(schema: Json): string | undefined {
  const own = unknownOf(geminiSchema, schema);
  if (own) return own;
  const below = [...Object.values((schema.properties ?? {}) as Json), schema.items, ...list(schema.anyOf)];
  for (const part of below) {
    const strange = part ? strangeIn(part as Json) : undefined;
    if (strange) return strange;
  }
  return undefined;
}

const rules: Record<Kind, Rule> = { openai: openaiRule, anthropic: anthropicRule, gemini: geminiRule };

const shapes: Record<Kind, (message: string) => Json> = {
  openai: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  anthropic: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  gemini: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
};

/** The script of a strict vendor of this kind: it answers only requests that the vendor would accept. */
export const strictVendor =
  (kind: Kind, script: Script): Script =>
  (asked) => {
    const fault = rules[kind](asked);
    return fault === null ? script(asked) : refuse(400, shapes[kind](fault));
  };
