import { asFunctionParameters } from '../../../../lib/object-schema.ts';
import { vendorOf } from '../../../../lib/vendors/find-vendor.ts';
import type { Vendor } from '../../../../lib/vendors/vendor.ts';
import {
  type Conversation,
  isObject,
  type Json,
  type Params,
  type Tool,
  type ToolChoice,
} from '../../../wire/conversation.ts';
import { onlyGiven, unsupported } from '../../../wire/read.ts';
import { shortId } from '../../../wire/short-id.ts';
import { writeOpenaiTool } from '../../../wire/web-search.ts';
import { refuseBeyondTokens } from '../../kind/beyond-tokens.ts';
import { refuseForeignTools } from '../../kind/foreign-tools.ts';
import { acceptsAllBut, refuseUnsupportedParts, stopsFor } from '../../kind/unsupported-parts.ts';
import { shortUser } from '../../kind/user-names.ts';
import { jsonHeaders, limitWithin, outputLimit, searchFor, type Target, type UpstreamRequest } from '../../kind.ts';
import { effortFor } from '../efforts.ts';
import { openaiHeaders, openaiUrl } from '../request.ts';
import { reasoningModel } from '../rewrite.ts';
import { refusedSampling } from '../sampling.ts';
import { buildItems } from './items.ts';
import { rewriteResponsesRequest } from './rewrite-request.ts';

export function toResponses(conversation: Conversation, target: Target): UpstreamRequest {
  const { stream, source } = conversation;
  const body =
    source?.format === 'responses' ? asItCame(conversation, source.body, target) : build(conversation, target);
  if (Array.isArray(body.input)) body.input = body.input.map(withShortId);
  if (target.paid) refuseBeyondTokens('responses', body, target);
  const headers = { ...openaiHeaders(target), ...jsonHeaders, ...(stream && { accept: 'text/event-stream' }) };
  return { url: openaiUrl(target, '/responses'), method: 'POST', headers, body: JSON.stringify(body) };
}

/** OpenAI refuses longer ids, even its own. */
const longestId = 64;

const withShortId = (item: unknown): unknown =>
  isObject(item) && typeof item.call_id === 'string' && item.call_id.length > longestId
    ? { ...item, call_id: shortId(item.call_id, longestId) }
    : item;

function asItCame({ stream, params, echo }: Conversation, body: Json, target: Target): Json {
  const { modelName } = target;
  const vendor = vendorOf(target.provider, target.baseUrl);
  const reasons = (vendor.reasoningModels ?? reasoningModel).test(modelName);
  const limit = outputLimit(params, target);
  const sent = rewriteResponsesRequest(body, { modelName, stream, limit, reasons, seals: echo?.seals });
  return { ...sent, ...mostSearches(params, target) };
}

/** It cannot exclude domains. */
export const searchesInResponses = ({ params: { webSearch: search } }: Conversation, target: Target): boolean =>
  (target.knownToSearch || vendorOf(target.provider, target.baseUrl).models.searchesIn === 'responses') &&
  !search?.blockedDomains;

/** The format limits all vendor-run tools together, which only OpenAI supports. */
function mostSearches({ webSearch }: Params, target: Target): Json {
  const most = webSearch && searchFor(webSearch, target).maxUses;
  const isKnown = vendorOf(target.provider, target.baseUrl).id === 'openai';
  return most !== undefined && isKnown ? { max_tool_calls: most } : {};
}

/** The minimum. */
const leastLimit = 16;

const carriesAll = acceptsAllBut('responses');

/** Converts a conversation of another format. */
function build(conversation: Conversation, target: Target): Json {
  const { params, system, stream } = conversation;
  const vendor = vendorOf(target.provider, target.baseUrl);
  refuseForeignTools(conversation, { searches: !params.webSearch?.blockedDomains });
  refuseUnsupportedParts(conversation, carriesAll);
  refuseBeyondFormat(conversation);
  const limit = limitWithin(params, target);
  const text = { ...format(params), ...verbosity(conversation) };
  const refused = refusedSampling(conversation, target.modelName);
  return onlyGiven<Json>({
    model: target.modelName,
    instructions: system.length > 0 ? system.map((part) => part.text).join('\n\n') : undefined,
    input: buildItems(conversation),
    stream,
    store: false,
    include: ['reasoning.encrypted_content', ...(params.logprobs ? ['message.output_text.logprobs'] : [])],
    max_output_tokens: limit === undefined ? undefined : Math.max(leastLimit, limit),
    temperature: refused.includes('temperature') ? undefined : params.temperature,
    top_p: refused.includes('top_p') ? undefined : params.topP,
    top_logprobs: params.topLogprobs,
    ...tools(params),
    ...mostSearches(params, target),
    reasoning: reasoning(params, target.modelName),
    text: Object.keys(text).length > 0 ? text : undefined,
    ...hints(conversation, vendor),
  });
}

/** Refuses chat parameters that this format lacks and that must not be silently ignored. */
function refuseBeyondFormat(conversation: Conversation): void {
  stopsFor(conversation, { most: 0, blank: true });
  if ((conversation.params.n ?? 1) > 1)
    throw unsupported('n', `'n' is not supported by this model together with tools.`);
}

function tools({ tools = [], webSearch, toolChoice, parallelToolCalls }: Params): Json {
  return {
    tools: [...tools.map(toolOf), ...(webSearch ? [writeOpenaiTool(webSearch)] : [])],
    tool_choice: toolChoice && choice(toolChoice, tools),
    parallel_tool_calls: parallelToolCalls,
  };
}

const toolOf = ({ name, description, parameters, strict, custom }: Tool): Json =>
  custom
    ? { ...custom, type: 'custom', name, ...grammarOf(custom) }
    : {
        type: 'function',
        name,
        ...(description !== undefined && { description }),
        parameters: asFunctionParameters(parameters ?? {}),
        // Explicit, because the default differs from chat's.
        strict: strict ?? false,
      };

/** Beside the type, where chats nest it. */
const grammarOf = ({ format }: Json): Json =>
  isObject(format) && isObject(format.grammar) ? { format: { type: 'grammar', ...format.grammar } } : {};

function choice(asked: ToolChoice, tools: Tool[]): unknown {
  if (asked.type !== 'tool') return asked.type;
  const isCustom = tools.some(({ name, custom }) => custom && name === asked.name);
  return { type: isCustom ? 'custom' : 'function', name: asked.name };
}

/** Without a setting the model uses its default. */
const reasoning = ({ reasoning: asked }: Params, modelName: string): Json | undefined =>
  asked && { effort: effortFor(modelName, asked) };

function format({ responseFormat }: Params): Json {
  return responseFormat === undefined ? {} : { format: responseFormat };
}

function verbosity({ params, source }: Conversation): Json {
  const asked = source?.format === 'chat' ? source.body.verbosity : params.hints?.verbosity;
  return asked == null ? {} : { verbosity: asked };
}

const hintNames = [
  ...['service_tier', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['safety_identifier', 'metadata'],
];

function hints({ params, source }: Conversation, vendor: Vendor): Json {
  if (source?.format !== 'chat')
    return params.user === undefined || !vendor.knowsHints ? {} : { user: shortUser(params.user) };
  const given = Object.fromEntries(
    hintNames.flatMap((name) => (source.body[name] == null ? [] : [[name, source.body[name]]])),
  );
  return { ...given, user: source.body.user ?? undefined };
}
