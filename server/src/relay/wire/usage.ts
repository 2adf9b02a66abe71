import type { Part, Usage } from '../../lib/money.ts';
import { isObject, type Json } from './conversation.ts';

/** A token count, or undefined for anything else: text, fractions, negative or huge numbers. */
export const tokens = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

const count = (value: unknown): number => tokens(value) ?? 0;
const nothing: Json = Object.freeze({});
const record = (value: unknown): Json => (isObject(value) ? value : nothing);

/** The first valid count: vendors use several names for the same. */
function first(...values: unknown[]): number {
  for (const value of values) {
    const found = tokens(value);
    if (found !== undefined) return found;
  }
  return 0;
}

/** A usage with its non-zero parts. */
export function usageOf(promptTokens: number, completionTokens: number, parts: { [P in Part]?: number }): Usage {
  const usage: Usage = { promptTokens, completionTokens };
  for (const part in parts) {
    const found = parts[part as Part];
    if (found !== undefined && found > 0) usage[`${part as Part}Tokens`] = found;
  }
  return usage;
}

/** Uncached audio and image tokens: cached tokens are charged as cached, whatever they contain. */
export const uncached = (all: unknown, cached: unknown): number => Math.max(0, count(all) - count(cached));

export function readChatUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || (value.prompt_tokens === undefined && value.completion_tokens === undefined))
    return undefined;
  const prompt = record(value.prompt_tokens_details);
  const cached = record(prompt.cached_tokens_details);
  const completion = record(value.completion_tokens_details);
  const promptTokens = count(value.prompt_tokens);
  const reasoning = first(completion.reasoning_tokens, value.reasoning_tokens);
  let completionTokens = count(value.completion_tokens);
  // Some vendors exclude reasoning from `completion_tokens` but not from the total; it is output nevertheless.
  if (reasoning > 0 && count(value.total_tokens) === promptTokens + completionTokens + reasoning) {
    completionTokens += reasoning;
  }
  const written = first(prompt.cache_write_tokens, prompt.cache_creation_tokens, value.cache_creation_input_tokens);
  const cacheWrite1h = Math.min(written, count(prompt.cache_write_1h_tokens));
  const searches = searchesIn(value.server_tool_use);
  const usage = usageOf(promptTokens, completionTokens, {
    // Names used by DeepSeek, Moonshot, Mistral and Anthropic proxies.
    cacheRead: first(
      prompt.cached_tokens,
      value.prompt_cache_hit_tokens,
      value.cached_tokens,
      value.num_cached_tokens,
      value.cache_read_input_tokens,
    ),
    cacheWrite: written - cacheWrite1h,
    cacheWrite1h,
    reasoning,
    audioIn: uncached(prompt.audio_tokens, cached.audio_tokens),
    imageIn: uncached(prompt.image_tokens, cached.image_tokens),
    audioOut: count(completion.audio_tokens),
  });
  return searches === undefined ? usage : { ...usage, searches };
}

/** Web searches as Anthropic and OpenRouter count them; undefined for none. */
const searchesIn = (used: unknown): number | undefined => tokens(record(used).web_search_requests) || undefined;

const searchesUsed = ({ searches }: Usage): Json =>
  searches ? { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } } : {};

/** Where a chunk reports usage: at the top level, in Groq's member, or in the last choice, as Moonshot does. */
export function chatUsageIn({ usage, x_groq: groq, choices }: Json): Json | undefined {
  const inChoice = Array.isArray(choices) && isObject(choices[0]) ? choices[0].usage : undefined;
  return [usage, record(groq).usage, inChoice].find(isObject);
}

/** Without undefined members; empty if all are. */
function details(name: string, fields: Record<string, number | undefined>): Json {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { [name]: Object.fromEntries(given) };
}

/** `cache_write_tokens` includes everything written, as in OpenRouter; one-hour writes are also listed separately. */
export function renderChatUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  const written =
    cacheWriteTokens === undefined && cacheWrite1hTokens === undefined
      ? undefined
      : (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...details('prompt_tokens_details', {
      cached_tokens: cacheReadTokens ?? (written === undefined ? undefined : 0),
      cache_write_tokens: written,
      cache_write_1h_tokens: cacheWrite1hTokens,
      audio_tokens: usage.audioInTokens,
      image_tokens: usage.imageInTokens,
    }),
    ...details('completion_tokens_details', {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioOutTokens,
    }),
    ...searchesUsed(usage),
  };
}

export function readResponsesUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || (value.input_tokens === undefined && value.output_tokens === undefined)) return undefined;
  const input = record(value.input_tokens_details);
  const output = record(value.output_tokens_details);
  return usageOf(count(value.input_tokens), count(value.output_tokens), {
    cacheRead: count(input.cached_tokens),
    cacheWrite: count(input.cache_write_tokens),
    reasoning: count(output.reasoning_tokens),
  });
}

export const renderResponsesUsage = (usage: Usage): Json => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: {
    cached_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0),
  },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  total_tokens: usage.promptTokens + usage.completionTokens,
});

/** Of a response in a realtime session, and of a transcript billed by tokens. */
export function readRealtimeUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || (value.input_tokens === undefined && value.output_tokens === undefined)) return undefined;
  const input = record(value.input_token_details);
  const cached = record(input.cached_tokens_details);
  return usageOf(count(value.input_tokens), count(value.output_tokens), {
    cacheRead: count(input.cached_tokens),
    audioIn: uncached(input.audio_tokens, cached.audio_tokens),
    imageIn: uncached(input.image_tokens, cached.image_tokens),
    audioOut: count(record(value.output_token_details).audio_tokens),
  });
}

/**
 * Anthropic counts cached tokens apart from `input_tokens`. A stream reports the input first and the output last, so
 * missing fields are taken from `before`.
 */
export function readMessagesUsage(value: unknown, before?: Usage): Usage | undefined {
  if (!isObject(value)) return before;
  const old = before ?? { promptTokens: 0, completionTokens: 0 };
  const { cacheReadTokens: oldRead = 0, cacheWriteTokens: oldShort = 0, cacheWrite1hTokens: oldLong = 0 } = old;
  const lifetimes = record(value.cache_creation);
  const short = tokens(lifetimes.ephemeral_5m_input_tokens);
  const long = tokens(lifetimes.ephemeral_1h_input_tokens);
  const told = short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
  const written = tokens(value.cache_creation_input_tokens) ?? told ?? oldShort + oldLong;
  const cacheWrite1h = Math.min(written, long ?? oldLong);
  const cacheRead = tokens(value.cache_read_input_tokens) ?? oldRead;
  const fresh = tokens(value.input_tokens) ?? old.promptTokens - oldRead - oldShort - oldLong;
  const searches = searchesIn(value.server_tool_use) ?? old.searches;
  const usage = usageOf(fresh + cacheRead + written, tokens(value.output_tokens) ?? old.completionTokens, {
    cacheRead,
    cacheWrite: written - cacheWrite1h,
    cacheWrite1h,
    reasoning: tokens(record(value.output_tokens_details).thinking_tokens) ?? old.reasoningTokens ?? 0,
  });
  return searches === undefined ? usage : { ...usage, searches };
}

export function renderMessagesUsage(usage: Usage): Json {
  const read = usage.cacheReadTokens ?? 0;
  const short = usage.cacheWriteTokens ?? 0;
  const long = usage.cacheWrite1hTokens ?? 0;
  return {
    input_tokens: Math.max(0, usage.promptTokens - read - short - long),
    cache_creation_input_tokens: short + long,
    cache_read_input_tokens: read,
    ...(short + long > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    }),
    output_tokens: usage.completionTokens,
    ...details('output_tokens_details', { thinking_tokens: usage.reasoningTokens }),
    ...searchesUsed(usage),
  };
}
