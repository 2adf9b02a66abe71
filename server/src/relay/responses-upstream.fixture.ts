import type { SeenRequest } from './scripted-upstream.fixture.ts';
import type { Json } from './wire/conversation.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

const refused = (message: string, param: string | null, status = 400): Response =>
  Response.json({ error: { message, type: 'invalid_request_error', param, code: null } }, { status });

/** What OpenAI refuses, in its words; null for what it takes. Nothing is stored there. */
export function refusalOf({ path, body }: Pick<SeenRequest, 'path' | 'body'>): Response | null {
  const { reasoning_effort, tools, model, ...rest } = body as Loose;
  if (path.endsWith('/chat/completions'))
    return tools?.length > 0 && reasoning_effort !== 'none'
      ? refused(
          `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
          'reasoning_effort',
        )
      : null;
  if (!path.endsWith('/responses')) return refused('Unknown path', null, 404);
  const unknown = Object.keys(rest).find((name) => !known.has(name));
  if (unknown) return refused(`Unknown parameter: '${unknown}'.`, unknown);
  if (rest.store !== false) return refused('This account stores nothing.', 'store');
  if (rest.max_output_tokens < 16) return refused(`Expected a value >= 16.`, 'max_output_tokens');
  return typeof rest.input === 'string' ? null : refusedItem(rest.input);
}

function refusedItem(input: Loose[]): Response | null {
  const calls = new Set(input.map(({ call_id, type }) => (type.endsWith('_call') ? call_id : undefined)));
  for (const [i, item] of input.entries()) {
    if (item.type === 'item_reference') return refused(`Item with id '${item.id}' not found.`, 'input', 404);
    if (item.type === 'reasoning' && !`${item.encrypted_content}`.startsWith('gAAAA'))
      return item.encrypted_content
        ? refused(`The encrypted content for item ${item.id} could not be verified.`, null)
        : refused(`Item with id '${item.id}' not found. Items are not persisted when 'store' is false.`, 'input', 404);
    if (item.type.endsWith('_call_output') && !calls.has(item.call_id))
      return refused(`No tool call found for function call output with call_id ${item.call_id}.`, 'input');
    if (item.type === 'custom_tool_call' && 'status' in item)
      return refused(`Unknown parameter: 'input[${i}].status'.`, `input[${i}].status`);
  }
  return null;
}

const known = new Set([
  ...['input', 'instructions', 'stream', 'store', 'include', 'max_output_tokens', 'temperature', 'top_p', 'metadata'],
  ...['tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'truncation', 'user', 'top_logprobs', 'service_tier'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'stream_options', 'max_tool_calls'],
]);

/** A response as OpenAI gives it: thinks, says something and calls a tool. */
export const wholeResponse = (fields: Json = {}): Json => ({
  id: 'resp_up',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: 'gpt-6-sol-2026-09-01',
  output: [
    {
      id: 'rs_up',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'gAAAAsealed',
    },
    {
      id: 'msg_up',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Well.', annotations: [], logprobs: [] }],
    },
    {
      id: 'fc_up',
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Rome"}',
    },
  ],
  parallel_tool_calls: true,
  previous_response_id: null,
  store: false,
  tool_choice: 'auto',
  tools: [],
  usage: {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 8 },
    total_tokens: 60,
  },
  ...fields,
});

/** The same as a stream. */
export function responseEvents(response: Json = wholeResponse()): Json[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const [thought, message, call] = response.output as Loose[];
  const part = message.content[0];
  const place = { item_id: message.id, output_index: 1, content_index: 0 };
  const summary = { item_id: thought.id, output_index: 0, summary_index: 0 };
  const args = { item_id: call.id, output_index: 2 };
  const open = { ...part, text: '' };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...thought, summary: [], encrypted_content: '' } },
    { type: 'response.reasoning_summary_part.added', ...summary, part: { type: 'summary_text', text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...summary, delta: 'hm' },
    { type: 'response.reasoning_summary_text.done', ...summary, text: 'hm' },
    { type: 'response.reasoning_summary_part.done', ...summary, part: { type: 'summary_text', text: 'hm' } },
    { type: 'response.output_item.done', output_index: 0, item: thought },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { ...message, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: open },
    { type: 'response.output_text.delta', ...place, delta: 'We', logprobs: [], obfuscation: 'x' },
    { type: 'response.output_text.delta', ...place, delta: 'll.', logprobs: [], obfuscation: 'xy' },
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.output_item.added', output_index: 2, item: { ...call, status: 'in_progress', arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...args, delta: '{"city":' },
    { type: 'response.function_call_arguments.delta', ...args, delta: '"Rome"}' },
    { type: 'response.function_call_arguments.done', ...args, arguments: call.arguments, name: call.name },
    { type: 'response.output_item.done', output_index: 2, item: call },
    { type: `response.${response.status}`, response },
  ];
  return events.map((event, i) => ({ ...event, sequence_number: i }));
}

export const frameOf = (event: Json): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const eventStream = { 'content-type': 'text/event-stream' };

/** Answers as OpenAI does: refuses what it refuses, whole or streamed as asked. */
export function openaiAnswers(response: Json = wholeResponse()) {
  return ({ path, body }: SeenRequest): Response => {
    const refusal = refusalOf({ path, body });
    if (refusal) return refusal;
    if (path.endsWith('/chat/completions')) return Response.json(chatAnswer);
    if (!(body as Loose).stream) return Response.json(response);
    return new Response(responseEvents(response).map(frameOf).join(''), { headers: eventStream });
  };
}

const chatAnswer = {
  id: 'chatcmpl-up',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'By chat.' } }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
};
