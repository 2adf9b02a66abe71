// biome-ignore lint/suspicious/noExplicitAny: bodies are read as clients and upstreams read them, field by field
export type Loose = any;

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const said = [{ role: 'user', content: 'How old is tea?' }];

/** Who runs a search, and in which words it is asked for. */
export const kinds = {
  responses: {
    kind: 'openai',
    provider: 'openai',
    wire: 'responses',
    tool: { type: 'web_search' },
    mark: 'web_search',
  },
  anthropic: {
    ...{ kind: 'anthropic', provider: 'anthropic', wire: 'messages', mark: 'web_search_20250305' },
    tool: { type: 'web_search_20250305', name: 'web_search' },
  },
  gemini: { kind: 'gemini', provider: 'gemini', wire: 'gemini', tool: { googleSearch: {} }, mark: 'googleSearch' },
};
export type Kind = keyof typeof kinds;

interface Asking {
  wire: string;
  /** What a refusal calls it. */
  named: string;
  search: Loose;
  functions: Loose[];
  /** The same among functions. */
  offer: Loose[];
  request(model: string, given: Loose, stream: boolean): { path: string; body: Loose };
  /** What an answer that rests on a search says of it, whole and streamed. */
  told: string[];
}

const page = 'https://tea.example/';
const functionsOf = {
  responses: [{ type: 'function', name: 'weather', parameters, strict: false }],
  messages: [{ name: 'weather', input_schema: parameters }],
  gemini: [{ functionDeclarations: [{ name: 'weather' }] }],
};

export type Front = 'chat' | 'responses' | 'messages' | 'gemini';

/** How a client asks for a search. */
export const fronts: Record<Front, Asking> = {
  chat: {
    ...{ wire: 'chat', named: 'web_search_options', search: { web_search_options: {} }, functions: [], offer: [] },
    request: (model, given, stream) => ({
      path: '/v1/chat/completions',
      body: { model, messages: said, max_tokens: 100, stream, stream_options: { include_usage: true }, ...given },
    }),
    told: ['url_citation', page, '"web_search_requests":2'],
  },
  responses: {
    ...{ wire: 'responses', named: 'web_search', search: { tools: [{ type: 'web_search' }] } },
    ...{ functions: functionsOf.responses, offer: [...functionsOf.responses, { type: 'web_search' }] },
    request: (model, given, stream) => ({
      path: '/v1/responses',
      body: { model, input: said, max_output_tokens: 100, stream, ...given },
    }),
    told: ['"type":"web_search_call"', 'url_citation', page],
  },
  messages: {
    ...{ wire: 'messages', named: 'web_search_20250305', search: { tools: [kinds.anthropic.tool] } },
    ...{ functions: functionsOf.messages, offer: [...functionsOf.messages, kinds.anthropic.tool] },
    request: (model, given, stream) => ({
      path: '/v1/messages',
      body: { model, messages: said, max_tokens: 100, stream, ...given },
    }),
    told: ['"server_tool_use"', 'web_search_tool_result', page, '"web_search_requests":2'],
  },
  gemini: {
    ...{ wire: 'gemini', named: 'googleSearch', search: { tools: [{ googleSearch: {} }] } },
    ...{ functions: functionsOf.gemini, offer: [...functionsOf.gemini, { googleSearch: {} }] },
    request: (model, given, stream) => ({
      path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      body: {
        contents: [{ parts: [{ text: 'How old is tea?' }] }],
        generationConfig: { maxOutputTokens: 100 },
        ...given,
      },
    }),
    told: ['webSearchQueries', 'groundingChunks', page],
  },
};

const words = 'Tea is old.';
const title = 'Tea';
const queries = ['tea', 'old tea'];

/* Each vendor's answer: two searches, one page, and a prompt that what was found has made long. */

const calls = queries.map((query, i) => ({
  ...{ id: `ws_${i}`, type: 'web_search_call', status: 'completed' },
  action: { type: 'search', query, sources: [{ type: 'url', url: page }] },
}));
const opened = { id: 'ws_9', type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: page } };
const annotation = { type: 'url_citation', url: page, title, start_index: 0, end_index: words.length };
const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: words, annotations: [annotation] }],
};
const output = [...calls, opened, message];
const response = {
  ...{ id: 'resp_1', object: 'response', model: 'up', status: 'completed', output },
  usage: { input_tokens: 20_000, output_tokens: 10, total_tokens: 20_010 },
};
const place = { item_id: 'msg_1', output_index: 3, content_index: 0 };
const responseEvents = [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
  ...output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item },
    ...(item === message
      ? [
          { type: 'response.output_text.delta', ...place, delta: words },
          { type: 'response.output_text.annotation.added', ...place, annotation_index: 0, annotation },
        ]
      : []),
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: 'response.completed', response },
].map((event, sequence_number) => ({ ...event, sequence_number }));

const found = { type: 'web_search_result', url: page, title, encrypted_content: 'sealed by Anthropic', page_age: null };
const searches = queries.flatMap((query, i) => [
  { type: 'server_tool_use', id: `srvtoolu_${i}`, name: 'web_search', input: { query } },
  { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${i}`, content: [found] },
]);
const location = { type: 'web_search_result_location', url: page, title, encrypted_index: 'abc', cited_text: '…' };
const used = {
  ...{ input_tokens: 20_000, output_tokens: 10 },
  server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
};
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up' };
const blocks: Loose[] = [...searches, { type: 'text', text: words, citations: [location] }];
const claudeOf = (content: Loose[], stop_reason: string, usage: Loose): Loose => ({
  ...{ ...head, content, stop_reason, stop_sequence: null, usage },
});
const claude = claudeOf(blocks, 'end_turn', used);
const streamedClaude = (blocks: Loose[], delta: Loose, usage: Loose): Loose[] => [
  { type: 'message_start', message: { ...head, content: [], usage: { input_tokens: 20, output_tokens: 1 } } },
  ...blocks.flatMap((block, index) => {
    const { input, text, citations, ...rest } = block;
    if (text)
      return blockEvents(index, { ...rest, text: '' }, [
        ...citations.map((citation: Loose) => ({ type: 'citations_delta', citation })),
        { type: 'text_delta', text },
      ]);
    const pieces = input ? [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] : [];
    return blockEvents(index, input ? { ...rest, input: {} } : rest, pieces);
  }),
  { type: 'message_delta', delta, usage },
  { type: 'message_stop' },
];

function blockEvents(index: number, content_block: Loose, deltas: Loose[]): Loose[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const claudeEvents = streamedClaude(blocks, { stop_reason: 'end_turn' }, used);

const gemini = {
  candidates: [
    {
      ...{ content: { parts: [{ text: words }], role: 'model' }, finishReason: 'STOP', index: 0 },
      groundingMetadata: {
        webSearchQueries: queries,
        groundingChunks: [{ web: { uri: page, title } }],
        groundingSupports: [{ segment: { endIndex: words.length, text: words }, groundingChunkIndices: [0] }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 20, toolUsePromptTokenCount: 19_980, candidatesTokenCount: 10 },
  ...{ modelVersion: 'gemini-3-flash', responseId: 'r1' },
};

const chat = {
  ...{ id: 'c1', object: 'chat.completion', model: 'up' },
  choices: [{ index: 0, message: { role: 'assistant', content: words }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
};

const framesOf = (events: Loose[]): string =>
  events.map((event) => `event: ${event.type ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`).join('');
export const eventStream = { 'content-type': 'text/event-stream' };
const sse = (events: Loose[]): Response => new Response(framesOf(events), { headers: eventStream });

/** Claude's, up to where it says what was used. */
export const cutAnswer = new TextEncoder().encode(framesOf(claudeEvents.slice(0, -2)));

/** What the vendor at this path answers. */
export function searched(path: string, stream: boolean): Response {
  if (path.endsWith('/responses')) return stream ? sse(responseEvents) : Response.json(response);
  if (path.endsWith('/messages')) return stream ? sse(claudeEvents) : Response.json(claude);
  if (path.endsWith(':streamGenerateContent')) return sse([gemini]);
  return Response.json(path.endsWith(':generateContent') ? gemini : chat);
}

/** Claude, which pauses where it has asked for its second search, and then goes on with what it is given back. */
export function pausing({ messages, stream, tool_choice: choice }: Loose, searches = 1): Response {
  const said = messages.at(-1).role === 'assistant' ? messages.at(-1).content.length : 0;
  const rest = choice?.type === 'none' ? blocks.slice(-1) : blocks.slice(said);
  const [content, reason] = said === 0 ? [blocks.slice(0, 3), 'pause_turn'] : [rest, 'end_turn'];
  const usage = { ...used, server_tool_use: { web_search_requests: searches } };
  if (!stream) return Response.json(claudeOf(content, reason, usage));
  return sse(streamedClaude(content, { stop_reason: reason }, usage));
}
/** What it has said by then. */
export const saidBeforePause: Loose[] = blocks.slice(0, 3);

const eventsIn = (text: string): Loose[] =>
  text.match(/^data: ?\{.*$/gm)!.map((line) => JSON.parse(line.slice(line.indexOf('{'))));

/** What an answer says. */
export function textOf(front: Front, stream: boolean, text: string): string {
  const all: Loose[] = stream ? eventsIn(text) : [JSON.parse(text)];
  const pieces: Record<Front, (one: Loose) => (string | undefined)[]> = {
    chat: ({ choices }) => choices.map((choice: Loose) => (choice.delta ?? choice.message).content),
    responses: (one) =>
      stream
        ? [one.type === 'response.output_text.delta' ? one.delta : '']
        : one.output.flatMap((item: Loose) => (item.content ?? []).map((part: Loose) => part.text)),
    messages: (one) => (stream ? [one.delta?.text] : one.content.map((block: Loose) => block.text)),
    gemini: ({ candidates }) => candidates[0].content.parts.map((part: Loose) => part.text),
  };
  return all.flatMap(pieces[front]).join('');
}
