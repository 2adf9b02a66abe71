import { asFunctionParameters } from '../../../lib/object-schema.ts';
import { vendorOf } from '../../../lib/vendors/find-vendor.ts';
import type { Vendor } from '../../../lib/vendors/vendor.ts';
import { type Conversation, isObject, type Json, type Params, type ToolChoice } from '../../wire/conversation.ts';
import { writeChatOptions, writeOpenrouterTool } from '../../wire/web-search.ts';
import { refuseBeyondTokens } from '../kind/beyond-tokens.ts';
import { refuseForeignTools } from '../kind/foreign-tools.ts';
import { type AcceptsPart, acceptsAllBut, refuseUnsupportedParts, stopsFor } from '../kind/unsupported-parts.ts';
import { shortUser } from '../kind/user-names.ts';
import { endpointUrl, jsonHeaders, limitWithin, outputLimit, type Target, type UpstreamRequest } from '../kind.ts';
import { effortFor } from './efforts.ts';
import { buildMessages } from './messages.ts';
import { rewriteChatRequest } from './rewrite.ts';
import { refusedSampling } from './sampling.ts';

/** Client headers that vendors of this format understand. */
const passedHeaders = ['openai-beta'];

export function openaiHeaders(target: Target): Record<string, string> {
  const vendor = vendorOf(target.provider, target.baseUrl);
  const headers: Record<string, string> = {};
  // A local server needs no credential, and some refuse an empty one.
  if (target.credential !== '') {
    if (vendor.authHeader === undefined) headers.authorization = `Bearer ${target.credential}`;
    else headers[vendor.authHeader] = target.credential;
  }
  for (const name of passedHeaders) {
    const value = target.clientHeaders?.[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

export const openaiUrl = (target: Target, path: string): string => endpointUrl(target.baseUrl, 'v1', path);

export function toOpenai(conversation: Conversation, target: Target): UpstreamRequest {
  const { vendor, url, whole, stream } = framesOf(target);
  const { modelName } = target;
  const body = chatRequestOf(conversation, vendor, modelName);
  const isOwn = conversation.source?.format === 'chat' && !conversation.anyModel;
  const limit = (isOwn ? outputLimit : limitWithin)(conversation.params, target);
  const sent = rewriteChatRequest(body, { modelName, vendor, stream: conversation.stream, limit });
  for (const name of refusedSampling(conversation, modelName)) delete sent[name];
  if (vendor.reasoning === 'effort' && isObject(sent.reasoning)) asEffort(sent, conversation.params, vendor, modelName);
  if (target.paid) refuseBeyondTokens('chat', sent, target);
  return { url, method: 'POST', headers: conversation.stream ? stream : whole, body: JSON.stringify(sent) };
}

/** OpenRouter's `reasoning` in a chat body, in the words of a vendor that refuses it. */
function asEffort(sent: Json, params: Params, vendor: Vendor, modelName: string): void {
  delete sent.reasoning;
  if (sent.reasoning_effort === undefined) Object.assign(sent, buildReasoning(params, vendor, modelName));
}

/** What all requests to a target share. */
interface Frames {
  vendor: Vendor;
  url: string;
  /** Headers for whole and for streamed answers. */
  whole: Readonly<Record<string, string>>;
  stream: Readonly<Record<string, string>>;
}

const frames = new WeakMap<Target, Frames>();

function framesOf(target: Target): Frames {
  let known = frames.get(target);
  if (!known) {
    const whole = { ...openaiHeaders(target), ...jsonHeaders };
    known = {
      vendor: vendorOf(target.provider, target.baseUrl),
      url: openaiUrl(target, '/chat/completions'),
      whole,
      stream: { ...whole, accept: 'text/event-stream' },
    };
    frames.set(target, known);
  }
  return known;
}

/** A chat body: the original if it is one, else converted for the vendor. */
export const chatRequestOf = (
  conversation: Conversation,
  vendor = vendorOf(undefined, ''),
  modelName = conversation.model,
): Json =>
  conversation.source?.format === 'chat' ? conversation.source.body : buildChatRequest(conversation, vendor, modelName);

function buildChatRequest(conversation: Conversation, vendor: Vendor, modelName: string): Json {
  const { params } = conversation;
  const searches = searchesInChat(conversation, vendor, modelName);
  refuseForeignTools(conversation, { searches });
  refuseUnsupportedParts(conversation, vendor.id === 'openrouter' ? carriesAll : carriesNoAddress);
  const body: Json = {
    model: modelName,
    messages: buildMessages(conversation, vendor),
    stream: conversation.stream,
    temperature: params.temperature,
    top_p: params.topP,
    top_k: vendor.knowsTopK ? params.topK : undefined,
    stop: stopsFor(conversation, { most: vendor.mostStops, blank: true }),
    seed: params.seed,
    n: params.n,
    logprobs: params.logprobs,
    top_logprobs: params.topLogprobs,
    frequency_penalty: params.frequencyPenalty,
    presence_penalty: params.presencePenalty,
    user: shortUser(params.user),
    ...buildTools(params, vendor),
    web_search_options:
      searches && vendor.models.searchesIn !== 'openrouter' ? writeChatOptions(params.webSearch!) : undefined,
    response_format: buildResponseFormat(params),
    ...buildReasoning(params, vendor, modelName),
    ...buildHints(params, vendor, modelName),
  };
  for (const key of Object.keys(body)) if (body[key] === undefined) delete body[key];
  return body;
}

/** By OpenRouter's tool, or by an option of search models, which accept no functions. */
export function searchesInChat(
  { params }: Conversation,
  { models: { searchesIn, searchModels } }: Vendor,
  modelName: string,
): boolean {
  const { webSearch: search, tools } = params;
  if (!search || search.keptOnly) return false;
  if (searchesIn === 'openrouter') return !(search.allowedDomains && search.blockedDomains);
  const isPlain = tools === undefined && !search.allowedDomains && !search.blockedDomains;
  return isPlain && searchModels?.test(modelName) === true;
}

function buildTools(params: Params, vendor: Vendor): Json {
  const { webSearch } = params;
  const search = webSearch && vendor.models.searchesIn === 'openrouter' ? [writeOpenrouterTool(webSearch)] : [];
  if (params.tools === undefined && search.length === 0) return {};
  const functions = (params.tools ?? []).map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: asFunctionParameters(tool.parameters ?? {}),
      strict: tool.strict,
    },
    ...(vendor.knowsCacheControl && tool.cacheControl !== undefined && { cache_control: tool.cacheControl }),
  }));
  return {
    tools: [...functions, ...search],
    tool_choice: params.toolChoice && buildToolChoice(params.toolChoice),
    parallel_tool_calls: params.parallelToolCalls,
  };
}

const buildToolChoice = (choice: ToolChoice): unknown =>
  choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type;

function buildResponseFormat({ responseFormat }: Params): Json | undefined {
  if (responseFormat === undefined || responseFormat.type === 'json_object') return responseFormat;
  const { type: _, ...spec } = responseFormat;
  return { type: 'json_schema', json_schema: spec };
}

function buildHints({ hints }: Params, vendor: Vendor, modelName: string): Json {
  if (!hints || !vendor.knowsHints) return {};
  const { verbosity, ...others } = hints;
  return { ...others, ...(terseModels.test(modelName) && { verbosity }) };
}

/** Other models refuse `verbosity`. */
const terseModels = /(^|\/)(gpt-[5-9]|codex)/;

/** The format accepts file data; URLs are OpenRouter's extension. */
const carriesAll = acceptsAllBut('chat');
const carriesNoAddress: AcceptsPart = (part) => carriesAll(part) && !(part.type === 'file' && 'url' in part.source);

function buildReasoning({ reasoning }: Params, vendor: Vendor, modelName: string): Json {
  if (reasoning === undefined || vendor.reasoning === 'none') return {};
  if (vendor.reasoning === 'object') {
    if (reasoning.effort === 'none') return { reasoning: { enabled: false } };
    if (reasoning.budgetTokens !== undefined) return { reasoning: { max_tokens: reasoning.budgetTokens } };
    return { reasoning: reasoning.effort === undefined ? { enabled: true } : { effort: reasoning.effort } };
  }
  if (!vendor.reasoningModels?.test(modelName)) return {};
  return { reasoning_effort: effortFor(modelName, reasoning) };
}
