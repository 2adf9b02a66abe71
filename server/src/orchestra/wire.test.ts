import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../relay/endpoints/relay.fixture.ts';

/** What clients of both formats get of `svc/svc-ms`, whole and streamed, with all that differs from run to run masked. */

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Loose = any;

let relay: RelayTest;
let server: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  relay = await openRelayTest();
  server = Bun.serve({ port: 0, idleTimeout: 0, fetch: (request, self) => relay.test.app.fetch(request, self) });
});
afterAll(async () => {
  await server.stop(true);
  await relay.close();
});

const post = (path: string, body: object) =>
  fetch(new URL(path, server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc/svc-ms', ...body }),
  });

/** Ids, times and counts; the rest of an answer of the built-in provider is always the same. */
const mask = (text: string): string =>
  text
    .replace(/"(chatcmpl-|msg_|req_|call_)[A-Za-z0-9]{8,}"/g, '"$1…"')
    .replace(/"(session_id|plan_id|request_id)":"[^"]*"/g, '"$1":"…"')
    .replace(/"(execution_time_ms|created|\w+_tokens|\w+_tokens_used)":[1-9]\d*/g, '"$1":1');

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const big = '1. Research the tea market\n2. Write a summary\n3. Propose a name';
const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const answer = { type: 'object', properties: { capital: { type: 'string' } }, required: ['capital'] };

/** The same wish in both formats. */
const wishes: Record<string, { chat: object; messages: object }> = {
  plain: both('What is 12*7?'),
  instructed: {
    chat: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is 12*7?' },
      ],
    },
    messages: { system: 'Be brief.', ...both('What is 12*7?').messages },
  },
  tools: {
    chat: {
      ...both('What is the weather in Oslo?').chat,
      tools: [
        { type: 'function', function: { name: 'weather', description: 'Weather of a city', parameters: weather } },
      ],
      tool_choice: 'required',
    },
    messages: {
      ...both('What is the weather in Oslo?').messages,
      tools: [{ name: 'weather', description: 'Weather of a city', input_schema: weather }],
      tool_choice: { type: 'any' },
    },
  },
  json: {
    chat: {
      ...both('Name the capital of France').chat,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: answer } },
    },
    messages: {
      ...both('Name the capital of France').messages,
      output_config: { format: { type: 'json_schema', schema: answer } },
    },
  },
  picture: {
    chat: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is in this picture?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
      ],
    },
    messages: {
      max_tokens: 500,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is in this picture?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
          ],
        },
      ],
    },
  },
  'several tasks, told at length': with_(big, { svc_ms: { verbosity: 'verbose', include_reasoning: true } }),
  'several tasks, told briefly': with_(big, { svc_ms: { verbosity: 'minimal' } }),
  'a wrong setting': with_('Hi', { svc_ms: { memory_mode: 'elephant' } }),
  'an unknown model to force': with_('Hi', { svc_ms: { force_model: 'no/such' } }),
  'a wrong parameter': with_('Hi', { temperature: 9 }),
  'usage asked for': {
    ...with_('What is 12*7?', {}),
    chat: { ...both('What is 12*7?').chat, stream_options: { include_usage: true } },
  },
};

function both(content: string) {
  const messages = [{ role: 'user', content }];
  return { chat: { messages }, messages: { max_tokens: 500, messages } };
}

function with_(content: string, fields: object) {
  const { chat, messages } = both(content);
  return { chat: { ...chat, ...fields }, messages: { ...messages, ...fields } };
}

async function whole(path: string, body: object): Promise<unknown> {
  const response = await post(path, body);
  return { status: response.status, ...readWhole(JSON.parse(mask(await response.text()))) };
}

/** `refusal` is null in every answer of the format that is none. */
const readWhole = (body: Loose): object => {
  if (body.choices?.[0].message.refusal === null) delete body.choices[0].message.refusal;
  return body;
};

async function streamed(path: string, body: object): Promise<unknown> {
  const response = await post(path, { ...body, stream: true });
  const text = mask(await response.text());
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return { status: response.status, ...JSON.parse(text) };
  const events = text.split('\n\n').flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  const read = events.map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
  return path === '/v1/messages' ? readMessages(read) : readChat(read);
}

/** Pieces of one block put together, as clients do. */
function readMessages(events: Loose[]): unknown[] {
  const read: Loose[] = [];
  for (const event of events) {
    const last = read.at(-1);
    if (event.type === 'content_block_delta' && last?.delta?.type === event.delta.type && last.index === event.index)
      for (const field of ['text', 'thinking', 'partial_json'].filter((name) => name in event.delta))
        last.delta[field] += event.delta[field];
    else read.push(event);
  }
  return read;
}

/** The chunks put together, as clients do; how often progress is told depends on how fast tasks run. */
function readChat(chunks: Loose[]): object {
  const read: Loose = { id: chunks[0].id, first: chunks[0].choices[0].delta, told: [], content: '', reasoning: '' };
  const calls: Loose[] = [];
  for (const chunk of chunks) {
    if (chunk === '[DONE]') {
      read.done = true;
      continue;
    }
    expect(chunk).toMatchObject({ id: read.id, object: 'chat.completion.chunk', model: 'svc/svc-ms', created: 1 });
    if (chunk.usage) read.usage = [chunk.usage, chunk.choices];
    if (chunk.error) read.error = chunk.error;
    for (const { index, delta, finish_reason } of chunk.choices) {
      expect(index).toBe(0);
      read.content += delta.content ?? '';
      read.reasoning += delta.reasoning_content ?? '';
      for (const call of delta.tool_calls ?? []) {
        const known = calls[call.index];
        if (known) known.function.arguments += call.function.arguments;
        else calls[call.index] = call;
      }
      const status = chunk.svc_ms_meta?.task_status;
      if (status && !read.told.includes(status)) read.told.push(status);
      if (finish_reason) Object.assign(read, { finish_reason, meta: chunk.svc_ms_meta });
    }
  }
  return { ...read, calls };
}

describe.each(Object.entries(wishes))('%s', (_, wish) => {
  test.each([
    ['chat', '/v1/chat/completions'],
    ['messages', '/v1/messages'],
  ] as const)('%s', async (format, path) => {
    const answers = await Promise.all([whole(path, wish[format]), streamed(path, wish[format])]);
    expect(answers[0]).toMatchSnapshot('whole');
    expect(answers[1]).toMatchSnapshot('streamed');
  });
});
