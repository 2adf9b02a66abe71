import type { Place } from './every-field.fixture.ts';
import type { Json } from './wire/conversation.ts';

const messagesTypes = '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts';
const geminiTypes = '@google/genai/dist/genai.d.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const user = { role: 'user', content: 'Hi' };
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
const cached = { type: 'ephemeral' };
const messagesTool = { name: 'find', input_schema: schema };
const googleTool = { functionDeclarations: [{ name: 'find', parametersJsonSchema: schema }] };

const messages = (members: Json): Json => ({ model: 'm', max_tokens: 9000, messages: [user], ...members });
const gemini = (members: Json): Json => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...members });
const inBlock = (block: Json, role = 'user'): Json => messages({ messages: [user, { role, content: [block] }] });
const inGeminiPart = (part: Json): Json => gemini({ contents: [{ role: 'user', parts: [part] }] });

export const messagesPlaces: Record<string, Place> = {
  body: {
    type: [messagesTypes, 'MessageCreateParamsBase'],
    put: messages,
    // What newer models do not take, and older ones do.
    older: { temperature: 0.3, top_k: 5, top_p: 0.4 },
    needs: { tool_choice: { tools: [messagesTool] } },
    // Headers, and what the library itself makes of them.
    given: ['messages', 'model', 'max_tokens', 'stream', 'betas', 'user_profile_id', 'workspace_id'],
    samples: {
      cache_control: cached,
      compaction: { type: 'summarize' },
      container: { skills: [{ type: 'anthropic', skill_id: 'xlsx' }] },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      diagnostics: { previous_message_id: 'msg_1' },
      fallback_credit_token: 'tok',
      fallbacks: [{ model: 'claude-opus-4-8' }],
      inference_geo: 'us',
      mcp_servers: [{ type: 'url', url: 'https://mcp.example/', name: 'a' }],
      metadata: { user_id: 'u1' },
      output_config: { effort: 'low' },
      output_format: { type: 'json_schema', schema },
      service_tier: 'standard_only',
      speed: 'fast',
      stop_sequences: ['END'],
      system: 'Be kind.',
      thinking: { type: 'enabled', budget_tokens: 2048 },
      thread: { type: 'create' },
      tool_choice: { type: 'any' },
      tools: [messagesTool],
    },
  },
  thinking: {
    type: [messagesTypes, 'BetaThinkingConfigEnabled'],
    put: (members) => messages({ thinking: { type: 'enabled', budget_tokens: 2048, ...members } }),
    given: ['type'],
    samples: { block_binding: { prefix_mismatch_behavior: 'drop_block' }, budget_tokens: 8000, display: 'omitted' },
  },
  output_config: {
    type: [messagesTypes, 'BetaOutputConfig'],
    put: (output_config) => messages({ output_config }),
    given: [],
    samples: { effort: 'low', format: { type: 'json_schema', schema }, task_budget: { type: 'tokens', total: 9000 } },
  },
  tool: {
    type: [messagesTypes, 'BetaTool'],
    put: (tool) => messages({ tools: [{ ...messagesTool, ...tool }] }),
    given: ['name', 'type'],
    samples: {
      allowed_callers: ['code_execution_20260120'],
      cache_control: cached,
      defer_loading: true,
      description: 'Finds.',
      eager_input_streaming: true,
      input_examples: [{ a: 'b' }],
      input_schema: { type: 'object', properties: { b: { type: 'number' } } },
      strict: true,
    },
  },
  text: {
    type: [messagesTypes, 'BetaTextBlockParam'],
    put: (block) => inBlock({ type: 'text', text: 'Hi', ...block }),
    given: ['type', 'text'],
    samples: {
      cache_control: cached,
      citations: [{ type: 'char_location', document_index: 0, cited_text: 'a', start_char_index: 0 }],
    },
  },
  image: {
    type: [messagesTypes, 'BetaImageBlockParam'],
    put: (block) =>
      inBlock({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' }, ...block }),
    given: ['type', 'source'],
    samples: { cache_control: cached, transformations: { oversized_image: 'error' } },
  },
  document: {
    type: [messagesTypes, 'BetaRequestDocumentBlock'],
    put: (block) => inBlock({ type: 'document', source: pdf, ...block }),
    given: ['type', 'source'],
    samples: { cache_control: cached, citations: { enabled: true }, context: 'Of May.', title: 'Notes' },
  },
  tool_result: {
    type: [messagesTypes, 'BetaToolResultBlockParam'],
    put: (block) =>
      messages({
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'find', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'no', ...block }] },
        ],
      }),
    given: ['type', 'tool_use_id', 'toolset_name'],
    samples: { cache_control: cached, content: 'yes', is_error: true },
  },
  system: {
    type: [messagesTypes, 'BetaSystemMessageParam'],
    put: (message) => messages({ messages: [user, { role: 'system', content: 'Be kind.', ...message }, user] }),
    given: ['role'],
    samples: {
      clear_at: 'next_user_message',
      content: [{ type: 'text', text: 'Be brief.' }],
      output_config: { effort: 'low' },
    },
  },
  compaction: {
    type: [messagesTypes, 'BetaCompactionBlockParam'],
    put: (block) => inBlock({ type: 'compaction', ...block }, 'assistant'),
    given: ['type'],
    samples: {
      cache_control: cached,
      content: 'They spoke of tea.',
      encrypted_content: 'x',
      signature: 'x',
      tool_changes: [
        { type: 'tool_addition', tool: { type: 'tool_definition', definition: { ...messagesTool, name: 'look' } } },
      ],
    },
  },
};

export const geminiPlaces: Record<string, Place> = {
  config: {
    type: [geminiTypes, 'GenerateContentConfig'],
    put: (members) => gemini(inGeminiBody(members)),
    needs: { toolConfig: { tools: [googleTool] } },
    // Of the library alone.
    given: ['httpOptions', 'abortSignal', 'automaticFunctionCalling', 'automaticContinuation', 'cachedContent'],
    samples: {
      serviceTier: 'flex',
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      temperature: 0.3,
      topP: 0.4,
      topK: 5,
      candidateCount: 2,
      maxOutputTokens: 5000,
      stopSequences: ['END'],
      responseLogprobs: true,
      logprobs: 3,
      presencePenalty: 0.5,
      frequencyPenalty: 0.5,
      seed: 7,
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      responseJsonSchema: schema,
      routingConfig: { autoMode: {} },
      modelSelectionConfig: { featureSelectionPreference: 'PRIORITIZE_COST' },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }],
      tools: [googleTool],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      labels: { a: 'b' },
      responseModalities: ['IMAGE'],
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
      speechConfig: { languageCode: 'en-US' },
      audioTimestamp: true,
      thinkingConfig: { thinkingLevel: 'LOW' },
      audioTranscriptionConfig: { languageCodes: ['en'] },
      imageConfig: { aspectRatio: '1:1' },
      enableEnhancedCivicAnswers: true,
      modelArmorConfig: { promptTemplateName: 'a' },
      continuationToken: 'abc',
      generationOutputConfig: { outputGcsUri: 'gs://a' },
      store: false,
    },
  },
  thinking: {
    type: [geminiTypes, 'ThinkingConfig'],
    put: (thinkingConfig) => gemini({ generationConfig: { thinkingConfig } }),
    given: [],
    samples: { includeThoughts: true, thinkingBudget: 2048, thinkingLevel: 'LOW' },
  },
  declaration: {
    type: [geminiTypes, 'FunctionDeclaration'],
    put: (members) => gemini({ tools: [{ functionDeclarations: [{ name: 'find', ...members }] }] }),
    given: ['name'],
    samples: {
      behavior: 'NON_BLOCKING',
      description: 'Finds.',
      parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      parametersJsonSchema: schema,
      response: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      responseJsonSchema: schema,
    },
  },
  part: {
    type: [geminiTypes, 'Part'],
    put: (part) => inGeminiPart({ text: 'Hi', ...part }),
    given: ['text'],
    samples: {
      mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
      toolCall: { id: 't' },
      toolResponse: { id: 't' },
      audioTranscription: { text: 'a' },
      codeExecutionResult: { output: 'a' },
      executableCode: { code: 'a', language: 'PYTHON' },
      fileData: { fileUri: 'https://a.example/a.png', mimeType: 'image/png' },
      functionCall: { name: 'find', args: {} },
      functionResponse: { name: 'find', response: { output: 'a' } },
      inlineData: { mimeType: 'image/png', data: 'iVBO' },
      thought: true,
      thoughtSignature: 'c2ln',
      videoMetadata: { fps: 1 },
      partMetadata: { a: 'b' },
      mediaProcessing: { a: 'b' },
      speechMetadata: { speaker: 'a' },
    },
  },
};

/** Members that the library puts beside `generationConfig`. */
const beside = new Set([
  ...['serviceTier', 'systemInstruction', 'safetySettings', 'tools', 'toolConfig', 'labels', 'cachedContent'],
  ...['modelArmorConfig', 'continuationToken', 'store'],
]);

function inGeminiBody(members: Json): Json {
  const entries = Object.entries(members);
  return {
    ...Object.fromEntries(entries.filter(([name]) => beside.has(name))),
    generationConfig: Object.fromEntries(entries.filter(([name]) => !beside.has(name))),
  };
}
