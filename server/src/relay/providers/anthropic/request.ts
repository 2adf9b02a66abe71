import { asOneObject } from '../../../lib/object-schema.ts';
import { trimEndOf } from '../../../lib/trim-end.ts';
import {
  type Conversation,
  type Effort,
  isObject,
  type Json,
  type Params,
  type Reasoning,
} from '../../wire/conversation.ts';
import { limitNames } from '../../wire/limit-names.ts';
import { withoutOwnCitations } from '../../wire/messages/citations.ts';
import { isForeignSearch } from '../../wire/messages/searches.ts';
import { unsupported } from '../../wire/read.ts';
import { isAnthropicSignature } from '../../wire/signature.ts';
import { readMessagesTool, writeMessagesTool } from '../../wire/web-search.ts';
import { refuseBeyondTokens } from '../kind/beyond-tokens.ts';
import { callInWords } from '../kind/call-in-words.ts';
import { CallIds } from '../kind/distinct-calls.ts';
import { effortOf, nearestEffort } from '../kind/efforts.ts';
import { refuseForeignTools, threadUnsupported } from '../kind/foreign-tools.ts';
import { jsonInWords } from '../kind/json-in-words.ts';
import { acceptsAllBut, refuseLogprobs, refuseUnsupportedParts, stopsFor } from '../kind/unsupported-parts.ts';
import { opaqueUser } from '../kind/user-names.ts';
import {
  assumedOutputTokens,
  assumedSearches,
  jsonHeaders,
  limitWithin,
  searchFor,
  type Target,
  type UpstreamRequest,
} from '../kind.ts';
import { buildMessages, buildSystem, mayThink, safeId } from './content.ts';
import { readableFiles } from './files.ts';
import { toClaudeSchema } from './schema.ts';
import { type Traits, traitsOf } from './traits.ts';

const defaultVersion = '2023-06-01';

/** The base URL may or may not contain the version segment. */
export const anthropicUrl = (target: Target, path: string): string =>
  `${trimEndOf(target.baseUrl, '/').replace(/\/v1$/, '')}/v1${path}`;

export function anthropicHeaders(target: Target): Record<string, string> {
  const client = target.clientHeaders ?? {};
  const betas = mergeBetas(client['anthropic-beta']);
  return {
    ...jsonHeaders,
    'x-api-key': target.credential,
    'anthropic-version': client['anthropic-version'] ?? defaultVersion,
    ...(betas !== '' && { 'anthropic-beta': betas }),
  };
}

/** Merges lists without duplicates. */
export function mergeBetas(...lists: (string | undefined)[]): string {
  const names = lists.flatMap((list) => (list ?? '').split(',')).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))].join(',');
}

export function toAnthropic(conversation: Conversation, target: Target): UpstreamRequest {
  return {
    url: anthropicUrl(target, '/messages'),
    method: 'POST',
    headers: { ...anthropicHeaders(target), ...(conversation.stream && { accept: 'text/event-stream' }) },
    body: JSON.stringify(messagesBodyOf(conversation, target)),
  };
}

const ours = ['svc_ms', 'provider', 'models'];

/** The original body if it has this format, else converted. */
export function messagesBodyOf(conversation: Conversation, target: Target): Json {
  if (conversation.source?.format !== 'messages') return buildMessagesRequest(readableFiles(conversation), target);
  const body = rewriteMessagesRequest(conversation.source.body, target.modelName);
  if (target.paid && conversation.params.webSearch) body.tools = boundedSearches(body.tools);
  if (body.thread != null && !mayThread(target)) throw threadUnsupported();
  if (!target.paid) return body;
  // The vendor would choose models with other prices; a model without fallbacks is asked alone.
  if (body.fallbacks === 'default') delete body.fallbacks;
  refuseBeyondTokens('messages', body, target);
  return body;
}

/**
 * Only Anthropic's own servers keep threads; others would answer without the history. A continued thread's cost is
 * unknown beforehand, as its prompt is stored at the vendor.
 */
const mayThread = ({ provider, baseUrl, paid }: Target): boolean => !paid && isVendors({ provider, baseUrl });

/** Anthropic's own servers; others that speak its format run no tools. */
export const isVendors = ({ provider, baseUrl }: Pick<Target, 'provider' | 'baseUrl'>): boolean =>
  provider === 'anthropic' || URL.parse(baseUrl)?.hostname === 'api.anthropic.com';

/** If the client sets no limit, the number of searches the hold covers. */
const boundedSearches = (tools: unknown): unknown =>
  Array.isArray(tools)
    ? tools.map((tool, i) =>
        isObject(tool) && tool.max_uses == null && readMessagesTool(tool, `tools[${i}]`)
          ? { ...tool, max_uses: assumedSearches }
          : tool,
      )
    : tools;

/** A messages body for an upstream of the same format, with only the model name replaced. */
export function rewriteMessagesRequest(body: Json, modelName: string): Json {
  const out: Json = { ...body, model: modelName };
  for (const field of ours) delete out[field];
  for (const field of limitNames) if (field !== 'max_tokens' && field in out) delete out[field];
  if (Array.isArray(out.tools) && out.tools.length === 0) {
    delete out.tools;
    delete out.tool_choice;
  }
  if (Array.isArray(out.messages)) {
    const ids = new CallIds(safeId);
    out.messages = out.messages.flatMap((message) => asVendorTakesIt(message, ids));
  }
  return out;
}

/** Removes blocks of other vendors' answers, which Anthropic would refuse, and messages left without any. */
function asVendorTakesIt(message: unknown, ids: CallIds): unknown[] {
  const given = message as { content?: unknown } | null;
  if (!Array.isArray(given?.content) || given.content.length === 0) return [message];
  const isForeign = (block: Json): boolean =>
    isForeignSearch(block) ||
    (block.type === 'thinking' && !(typeof block.signature === 'string' && isAnthropicSignature(block.signature)));
  const content = given.content.flatMap((block) =>
    !isObject(block) ? [block] : isForeign(block) ? [] : withoutOwnCitations(withOwnId(block, message, ids)),
  );
  return content.length === 0 ? [] : [{ ...given, content }];
}

/** Ids of calls that another vendor made earlier in the conversation. */
function withOwnId(block: Json, message: unknown, ids: CallIds): Json {
  if (block.type === 'tool_use' && typeof block.id === 'string') {
    const id = ids.ofCall(block.id, message);
    return id === block.id ? block : { ...block, id };
  }
  if (block.type === 'tool_result' && typeof block.tool_use_id === 'string') {
    const id = ids.ofResult(block.tool_use_id);
    return id === block.tool_use_id ? block : { ...block, tool_use_id: id };
  }
  return block;
}

/** Anthropic has no cached search, and accepts only one of the two domain lists. */
export const searchesAsClaude = ({ params: { webSearch: search } }: Conversation): boolean =>
  !search?.keptOnly && !(search?.allowedDomains && search.blockedDomains);

/** Its models accept no audio. */
const carried = acceptsAllBut('messages', 'audio');

/** Converts a conversation of another format to a messages body. */
export function buildMessagesRequest(conversation: Conversation, target: Target): Json {
  const { params } = conversation;
  refuseForeignTools(conversation, { searches: searchesAsClaude(conversation) });
  refuseUnsupportedParts(conversation, carried);
  refuseLogprobs(conversation);
  if ((params.n ?? 1) > 1) throw unsupported('n', `'n' above 1 is not supported by this model.`);
  const traits = traitsOf(target.modelName);
  const canThink = mayThink(conversation.turns) && !(isForced(params) && traits.forcedToolUse);
  const thinking = canThink ? buildThinking(params, traits, target) : undefined;
  const schema = schemaFor(params, traits);
  const system = [
    ...buildSystem(conversation.system),
    ...jsonInstruction(params, schema),
    ...callInstruction(params, traits),
  ];
  const body: Json = {
    model: target.modelName,
    max_tokens: limitOf(params, target),
    ...(system.length > 0 && { system }),
    messages: buildMessages(conversation),
    stream: conversation.stream,
    stop_sequences: stopsFor(conversation, { blank: false }),
    ...sampling(params, traits, thinking !== undefined),
    ...buildTools(params, traits, target),
    thinking,
    output_config: outputConfig(params, traits, schema, thinking !== undefined),
    metadata: params.user === undefined ? undefined : { user_id: opaqueUser(params.user) },
  };
  for (const key of Object.keys(body)) if (body[key] === undefined) delete body[key];
  return body;
}

/** The format requires a limit. */
const limitOf = (params: Params, target: Target): number =>
  limitWithin(params, target) ?? target.maxOutputTokens ?? assumedOutputTokens;

/** Documented drops: penalties and seed have no counterpart; newer models accept no sampling parameters. */
function sampling(params: Params, traits: Traits, thinks: boolean): Json {
  if (!traits.sampling || thinks) return {};
  // Negative means unlimited elsewhere, and is refused here.
  const topK = (params.topK ?? -1) < 0 ? undefined : params.topK;
  // The range is 0–1 instead of 0–2, and newer models refuse both parameters together.
  if (params.temperature !== undefined) return { temperature: Math.min(params.temperature, 1), top_k: topK };
  return { top_p: params.topP, top_k: topK };
}

function buildTools(params: Params, traits: Traits, target: Target): Json {
  const { webSearch } = params;
  if (params.tools === undefined && !webSearch) return {};
  const functions = (params.tools ?? []).map((tool) => ({
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: asOneObject({ type: 'object', ...(tool.parameters ?? { properties: {} }) }),
    ...(tool.cacheControl !== undefined && { cache_control: tool.cacheControl }),
  }));
  const search = webSearch ? [writeMessagesTool(searchFor(webSearch, target))] : [];
  const tools = [...functions, ...search];
  const choice = toolChoice(params, traits);
  return { tools, ...(choice !== undefined && { tool_choice: choice }) };
}

/** Anthropic refuses to think before a forced call; callers rely on the call more than on the thoughts. */
const isForced = ({ tools, toolChoice }: Params): boolean =>
  tools !== undefined && (toolChoice?.type === 'required' || toolChoice?.type === 'tool');

/** For models that cannot be forced. */
function callInstruction(params: Params, { forcedToolUse }: Traits): Json[] {
  if (forcedToolUse || !isForced(params)) return [];
  const { toolChoice } = params;
  return [{ type: 'text', text: callInWords(toolChoice?.type === 'tool' ? toolChoice.name : undefined) }];
}

function toolChoice({ toolChoice: choice, parallelToolCalls }: Params, traits: Traits): Json | undefined {
  if (choice?.type === 'none') return { type: 'none' };
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (choice?.type === 'required' && traits.forcedToolUse) return { type: 'any', ...single };
  if (choice?.type === 'tool' && traits.forcedToolUse) return { type: 'tool', name: choice.name, ...single };
  return choice === undefined && parallelToolCalls !== false ? undefined : { type: 'auto', ...single };
}

const budgets: Record<Effort, number> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
};
/** The vendor's minimum. */
const minBudget = 1024;

function buildThinking(params: Params, traits: Traits, target: Target): Json | undefined {
  const { reasoning } = params;
  if (reasoning === undefined || reasoning.effort === 'none') return undefined;
  if (traits.adaptiveThinking) return { type: 'adaptive' };
  const limit = limitOf(params, target);
  // The budget is part of the limit; a fifth is reserved for the answer.
  const budget = Math.min(wantedBudget(reasoning), Math.floor(limit * 0.8));
  return budget < minBudget ? undefined : { type: 'enabled', budget_tokens: budget };
}

const wantedBudget = (reasoning: Reasoning): number => reasoning.budgetTokens ?? budgets[reasoning.effort ?? 'medium'];

/** The response schema, if the model accepts one and it can be written for it. */
const schemaFor = ({ responseFormat }: Params, { structuredOutput }: Traits): Json | undefined =>
  structuredOutput && responseFormat?.type === 'json_schema' ? toClaudeSchema(responseFormat.schema) : undefined;

function outputConfig(
  { reasoning }: Params,
  traits: Traits,
  schema: Json | undefined,
  thinks: boolean,
): Json | undefined {
  const format = schema && { type: 'json_schema', schema };
  const effort = thinks && traits.adaptiveThinking ? effortName(reasoning, traits) : undefined;
  if (format === undefined && effort === undefined) return undefined;
  return { ...(effort !== undefined && { effort }), ...(format !== undefined && { format }) };
}

function effortName({ effort, budgetTokens }: Reasoning = {}, { efforts }: Traits): Effort | undefined {
  if (effort === undefined && budgetTokens === undefined) return undefined;
  return nearestEffort(efforts, effort ?? effortOf(budgetTokens));
}

/** An instruction for models without structured output, and for schemas that they refuse. */
function jsonInstruction({ responseFormat }: Params, schema: Json | undefined): Json[] {
  return responseFormat === undefined || schema ? [] : [{ type: 'text', text: jsonInWords(responseFormat) }];
}
