import type { Usage } from '../../lib/money.ts';
import { isObject, type Json } from './conversation.ts';

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0;

function known(counted: Required<Omit<Usage, 'units'>>): Usage {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = counted;
  const usage: Usage = { promptTokens, completionTokens };
  if (cacheReadTokens > 0) usage.cacheReadTokens = cacheReadTokens;
  if (cacheWriteTokens > 0) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens > 0) usage.reasoningTokens = reasoningTokens;
  return usage;
}

export function readChatUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || (value.prompt_tokens === undefined && value.completion_tokens === undefined))
    return undefined;
  const prompt = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const completion = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const promptTokens = count(value.prompt_tokens);
  const reasoningTokens = count(completion.reasoning_tokens);
  let completionTokens = count(value.completion_tokens);
  // Some vendors leave reasoning out of `completion_tokens` but not out of the total; it is output all the same.
  if (reasoningTokens > 0 && count(value.total_tokens) === promptTokens + completionTokens + reasoningTokens) {
    completionTokens += reasoningTokens;
  }
  return known({
    promptTokens,
    completionTokens,
    cacheReadTokens: count(prompt.cached_tokens ?? value.prompt_cache_hit_tokens),
    cacheWriteTokens: count(prompt.cache_write_tokens),
    reasoningTokens,
  });
}

export function renderChatUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...((cacheReadTokens !== undefined || cacheWriteTokens !== undefined) && {
      prompt_tokens_details: {
        cached_tokens: cacheReadTokens ?? 0,
        ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
      },
    }),
    ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/**
 * Anthropic counts cached tokens beside `input_tokens`, not in them. A stream gives the input with its first event and
 * the output with its last, so what an event leaves out is taken from `before`.
 */
export function readMessagesUsage(value: unknown, before?: Usage): Usage | undefined {
  if (!isObject(value)) return before;
  const read =
    value.cache_read_input_tokens == null ? (before?.cacheReadTokens ?? 0) : count(value.cache_read_input_tokens);
  const write =
    value.cache_creation_input_tokens == null
      ? (before?.cacheWriteTokens ?? 0)
      : count(value.cache_creation_input_tokens);
  const fresh =
    value.input_tokens == null
      ? (before?.promptTokens ?? 0) - (before?.cacheReadTokens ?? 0) - (before?.cacheWriteTokens ?? 0)
      : count(value.input_tokens);
  const details = isObject(value.output_tokens_details) ? value.output_tokens_details : {};
  return known({
    promptTokens: fresh + read + write,
    completionTokens: value.output_tokens == null ? (before?.completionTokens ?? 0) : count(value.output_tokens),
    cacheReadTokens: read,
    cacheWriteTokens: write,
    reasoningTokens: count(details.thinking_tokens) || (before?.reasoningTokens ?? 0),
  });
}

export function renderMessagesUsage(usage: Usage): Json {
  const read = usage.cacheReadTokens ?? 0;
  const write = usage.cacheWriteTokens ?? 0;
  return {
    input_tokens: Math.max(0, usage.promptTokens - read - write),
    cache_creation_input_tokens: write,
    cache_read_input_tokens: read,
    output_tokens: usage.completionTokens,
  };
}
