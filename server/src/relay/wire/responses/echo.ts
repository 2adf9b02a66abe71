import type { Json } from '../conversation.ts';

const noMetadata = Object.freeze({});
const noTools: readonly unknown[] = Object.freeze([]);
const usualReasoning = Object.freeze({ effort: null, summary: null });
const usualText = Object.freeze({ format: Object.freeze({ type: 'text' }), verbosity: 'medium' });

/** What a response repeats of its request, with fixed defaults. Excludes the input. */
export const echoOf = (body: Json): Json => ({
  background: body.background ?? false,
  ...(body.conversation != null && { conversation: { id: idOf(body.conversation) } }),
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  max_tool_calls: body.max_tool_calls ?? null,
  metadata: body.metadata ?? noMetadata,
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: body.previous_response_id ?? null,
  prompt_cache_key: body.prompt_cache_key ?? null,
  reasoning: body.reasoning == null ? usualReasoning : { ...usualReasoning, ...(body.reasoning as Json) },
  safety_identifier: body.safety_identifier ?? null,
  // The effective tier: others are refused, or only a hint.
  service_tier: 'default',
  store: body.store ?? true,
  temperature: body.temperature ?? null,
  text: body.text == null ? usualText : { ...usualText, ...(body.text as Json) },
  tool_choice: body.tool_choice ?? 'auto',
  tools: body.tools ?? noTools,
  top_logprobs: body.top_logprobs ?? 0,
  top_p: body.top_p ?? null,
  truncation: body.truncation ?? 'disabled',
  user: body.user ?? null,
});

/** `conversation` is an id or an object with one. */
export const idOf = (conversation: unknown): unknown =>
  typeof conversation === 'object' && conversation !== null ? (conversation as Json).id : conversation;
