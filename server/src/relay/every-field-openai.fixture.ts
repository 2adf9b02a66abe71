import type { Place } from './every-field.fixture.ts';
import type { Json } from './wire/conversation.ts';

const chatTypes = 'openai/resources/chat/completions/completions.d.ts';
const responsesTypes = 'openai/resources/responses/responses.d.ts';
const sharedTypes = 'openai/resources/shared.d.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const user = { role: 'user', content: 'Hi' };
const picture = 'data:image/png;base64,iVBORw0KGgo=';
const breakpoint = { mode: 'explicit' };
const functions = [{ name: 'find', parameters: schema }];
const chatTools = functions.map((one) => ({ type: 'function', function: one }));
const tools = functions.map((one) => ({ type: 'function', ...one }));

const chat = (members: Json): Json => ({ model: 'm', messages: [user], ...members });
const responses = (members: Json): Json => ({ model: 'm', input: 'Hi', ...members });
const inChatPart = (part: Json): Json => chat({ messages: [{ role: 'user', content: [part] }] });
const inItem = (part: Json): Json => responses({ input: [{ role: 'user', content: [part] }] });

export const chatPlaces: Record<string, Place> = {
  body: {
    type: [chatTypes, 'ChatCompletionCreateParamsBase'],
    put: chat,
    given: ['messages', 'model', 'stream'],
    needs: {
      function_call: { functions },
      parallel_tool_calls: { tools: chatTools },
      tool_choice: { tools: chatTools },
    },
    samples: {
      audio: { voice: 'alloy', format: 'wav' },
      frequency_penalty: 0.5,
      function_call: { name: 'find' },
      functions,
      logit_bias: { 50256: -100 },
      logprobs: true,
      max_completion_tokens: 5000,
      max_tokens: 5000,
      metadata: { a: 'b' },
      modalities: ['text', 'audio'],
      moderation: { model: 'omni-moderation-latest', policy: { output: { mode: 'block' } } },
      n: 2,
      parallel_tool_calls: false,
      prediction: { type: 'content', content: 'Hi' },
      presence_penalty: 0.5,
      prompt_cache_key: 'k1',
      prompt_cache_options: { mode: 'explicit' },
      prompt_cache_retention: '24h',
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      safety_identifier: 'u1',
      seed: 7,
      service_tier: 'flex',
      stop: ['END'],
      store: true,
      stream_options: { include_obfuscation: false },
      temperature: 0.3,
      tool_choice: 'required',
      tools: chatTools,
      top_logprobs: 3,
      top_p: 0.4,
      user: 'u1',
      verbosity: 'low',
      web_search_options: {},
    },
  },
  text: {
    type: [chatTypes, 'ChatCompletionContentPartText'],
    put: (part) => inChatPart({ type: 'text', text: 'Hi', ...part }),
    given: ['type', 'text'],
    samples: { prompt_cache_breakpoint: breakpoint },
  },
  user: {
    type: [chatTypes, 'ChatCompletionUserMessageParam'],
    put: (members) => chat({ messages: [{ ...user, ...members }] }),
    given: ['content', 'role'],
    samples: { name: 'Ann' },
  },
  assistant: {
    type: [chatTypes, 'ChatCompletionAssistantMessageParam'],
    put: (members) => chat({ messages: [user, { role: 'assistant', ...members }, user] }),
    given: ['role'],
    samples: {
      audio: { id: 'audio_1' },
      content: 'Yes',
      function_call: { name: 'find', arguments: '{}' },
      name: 'Bob',
      refusal: 'No.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
    },
  },
};

export const responsesPlaces: Record<string, Place> = {
  body: {
    type: [responsesTypes, 'ResponseCreateParamsBase'],
    put: responses,
    older: { max_tool_calls: 2 },
    newer: { access_programs: { cyber: 'standard' }, image: { context_compression: 'disabled' } },
    needs: { parallel_tool_calls: { tools }, tool_choice: { tools } },
    // Kept and followed here, whoever answers.
    given: ['input', 'model', 'stream', 'background', 'conversation', 'previous_response_id', 'store'],
    samples: {
      context_management: [{ type: 'compaction', compact_threshold: 9000 }],
      include: ['message.output_text.logprobs'],
      instructions: 'Be kind.',
      max_output_tokens: 5000,
      metadata: { a: 'b' },
      moderation: { model: 'omni-moderation-latest' },
      parallel_tool_calls: false,
      prompt: { id: 'pmpt_1' },
      prompt_cache_key: 'k1',
      prompt_cache_options: { mode: 'explicit' },
      prompt_cache_retention: '24h',
      reasoning: { effort: 'low' },
      safety_identifier: 'u1',
      service_tier: 'flex',
      stream_options: { include_obfuscation: false },
      temperature: 0.3,
      text: { format: { type: 'json_schema', name: 'a', schema } },
      tool_choice: 'required',
      tools,
      top_logprobs: 3,
      top_p: 0.4,
      truncation: 'auto',
      user: 'u1',
    },
  },
  reasoning: {
    type: [sharedTypes, 'Reasoning'],
    put: (reasoning) => responses({ reasoning }),
    given: [],
    samples: { context: 'all_turns', effort: 'low', generate_summary: 'auto', mode: 'pro', summary: 'auto' },
  },
  text: {
    type: [responsesTypes, 'ResponseTextConfig'],
    put: (text) => responses({ text }),
    given: [],
    samples: { format: { type: 'json_object' }, verbosity: 'low' },
  },
  tool: {
    type: [responsesTypes, 'FunctionTool'],
    put: (tool) => responses({ tools: [{ type: 'function', name: 'find', ...tool }] }),
    given: ['type', 'name'],
    newer: { async: true },
    samples: {
      allowed_callers: ['programmatic'],
      defer_loading: true,
      description: 'Finds.',
      output_schema: schema,
      parameters: schema,
      strict: true,
    },
  },
  input_text: {
    type: [responsesTypes, 'ResponseInputText'],
    put: (part) => inItem({ type: 'input_text', text: 'Hi', ...part }),
    given: ['type', 'text'],
    samples: { prompt_cache_breakpoint: breakpoint },
  },
  input_image: {
    type: [responsesTypes, 'ResponseInputImage'],
    put: (part) => inItem({ type: 'input_image', image_url: picture, ...part }),
    given: ['type', 'image_url', 'file_id'],
    samples: { detail: 'high', prompt_cache_breakpoint: breakpoint },
  },
  input_file: {
    type: [responsesTypes, 'ResponseInputFile'],
    put: (part) => inItem({ type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=', ...part }),
    given: ['type', 'file_data', 'file_id', 'file_url'],
    samples: { detail: 'high', filename: 'a.pdf', prompt_cache_breakpoint: breakpoint },
  },
};
