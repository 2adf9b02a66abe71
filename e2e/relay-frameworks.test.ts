/** Libraries that applications are built with: `ai` with two of its providers, and LangChain. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { APICallError, embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { type Kind, kinds, says } from './relay-replies.ts';
import { type Served, type Service, startService, until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

const calls = [
  { id: 'call_paris', name: 'weather', args: { city: 'Paris' } },
  { id: 'call_rome', name: 'weather', args: { city: 'Rome' } },
];
const png = Uint8Array.fromBase64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
);

// Warnings of the library about unknown model names do not matter here.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let service: Service;
const upstreams = {} as Record<Kind, Upstream>;
const served = {} as Record<Kind, Served>;

beforeAll(async () => {
  service = await startService();
  for (const kind of kinds) {
    upstreams[kind] = startUpstream(says(kind, { text: 'unset' }));
    served[kind] = await service.serve({ kind, url: upstreams[kind].url });
  }
});
afterAll(async () => {
  for (const kind of kinds) upstreams[kind]?.stop();
  await service?.stop();
});

const makers = {
  'openai-compatible': (id: string) =>
    createOpenAICompatible({
      name: 'svc',
      apiKey: service.key,
      baseURL: `${service.url}/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(id),
  anthropic: (id: string) => createAnthropic({ apiKey: service.key, baseURL: `${service.url}/v1` })(id),
};
const cases = Object.keys(makers).flatMap((maker) => kinds.map((kind) => [maker, kind] as [keyof typeof makers, Kind]));

describe.each(cases)('AI SDK with provider %s on an upstream of kind %s', (maker, kind) => {
  const model = () => makers[maker](served[kind].modelId);

  test('text, streamed or not', async () => {
    upstreams[kind].script = says(kind, { text: 'Hello, world' });
    const whole = await generateText({ model: model(), prompt: 'hi', maxRetries: 0 });
    expect(whole.text).toBe('Hello, world');
    expect(whole.finishReason).toBe('stop');
    expect(whole.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    const stream = streamText({ model: model(), prompt: 'hi', maxRetries: 0 });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    expect(text).toBe('Hello, world');
    expect(await stream.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
  });

  test('tools are called and answered over two streamed steps', async () => {
    const ran: string[] = [];
    const weather = tool({
      description: 'Weather',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        ran.push(city);
        return `sunny in ${city}`;
      },
    });
    const before = upstreams[kind].asked.length;
    upstreams[kind].script = (asked) =>
      says(kind, upstreams[kind].asked.length === before + 1 ? { calls } : { text: 'Both sunny.' })(asked);
    const stream = streamText({
      model: model(),
      prompt: 'weather?',
      tools: { weather },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
    expect(await stream.text).toBe('Both sunny.');
    expect(ran).toEqual(['Paris', 'Rome']);
    expect(JSON.stringify(upstreams[kind].last().body)).toContain('sunny in Rome');
  });

  test('structured output and an image', async () => {
    // For unknown models, the anthropic provider requests a call of a tool named json.
    const byTool = { calls: [{ id: 'call_json', name: 'json', args: { city: 'Paris' } }] };
    upstreams[kind].script = says(kind, maker === 'anthropic' ? byTool : { text: '{"city":"Paris"}' });
    const answer = await generateText({
      model: model(),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'where?' },
            { type: 'image', image: png, mediaType: 'image/png' },
          ],
        },
      ],
      output: Output.object({ schema: z.object({ city: z.string() }) }),
      maxRetries: 0,
    });
    expect(answer.output).toEqual({ city: 'Paris' });
    expect(JSON.stringify(upstreams[kind].last().body)).toContain(png.toBase64().slice(0, 40));
  });

  test('errors and abort', async () => {
    upstreams[kind].script = () => refuse(400, { error: { message: 'temperature is odd' } });
    const refused = await generateText({ model: model(), prompt: 'hi', maxRetries: 0 }).catch((error) => error);
    expect(APICallError.isInstance(refused)).toBe(true);
    expect(refused).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(refused.message).toContain('temperature is odd');
    upstreams[kind].script = () => refuse(503);
    const failed = await generateText({ model: model(), prompt: 'hi', maxRetries: 0 }).catch((error) => error);
    expect(failed).toMatchObject({ statusCode: 502, isRetryable: true });

    upstreams[kind].script = says(kind, { text: 'a b c d e f g h i j k l m n o p' }, { everyMs: 50 });
    const controller = new AbortController();
    const stream = streamText({ model: model(), prompt: 'hi', abortSignal: controller.signal, maxRetries: 0 });
    for await (const _ of stream.textStream) controller.abort();
    await until('the upstream sees the abort', () => upstreams[kind].last().aborted);
  });
});

test('AI SDK: embeddings', async () => {
  const vectors = startUpstream((asked) =>
    Response.json({
      object: 'list',
      data: (asked.body.input as string[]).map((_, index) => ({ object: 'embedding', index, embedding: [index, 0.5] })),
      model: 'up',
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  );
  const { modelId } = await service.serve({ kind: 'openai', url: vectors.url, type: 'embedding' });
  const provider = createOpenAICompatible({ name: 'svc', apiKey: service.key, baseURL: `${service.url}/v1` });
  const answer = await embedMany({ model: provider.embeddingModel(modelId), values: ['a', 'b'], maxRetries: 0 });
  expect(answer.embeddings).toEqual([
    [0, 0.5],
    [1, 0.5],
  ]);
  const configuration = { baseURL: `${service.url}/v1` };
  const langchain = new OpenAIEmbeddings({ model: modelId, apiKey: service.key, configuration, maxRetries: 0 });
  expect(await langchain.embedDocuments(['a', 'b'])).toEqual([
    [0, 0.5],
    [1, 0.5],
  ]);
  vectors.stop();
});

describe.each(kinds)('LangChain on an upstream of kind %s', (kind) => {
  const chat = () =>
    new ChatOpenAI({
      model: served[kind].modelId,
      apiKey: service.key,
      configuration: { baseURL: `${service.url}/v1` },
      maxRetries: 0,
    });

  test('plain, streamed and structured answers', async () => {
    upstreams[kind].script = says(kind, { text: 'Hello, world' });
    const answer = await chat().invoke('hi');
    expect(answer.content).toBe('Hello, world');
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    let text = '';
    for await (const chunk of await chat().stream('hi')) text += chunk.content;
    expect(text).toBe('Hello, world');
    upstreams[kind].script = says(kind, { text: '{"city":"Paris"}' });
    const place = z.object({ city: z.string() });
    expect(await chat().withStructuredOutput(place, { method: 'jsonSchema' }).invoke('where?')).toEqual({
      city: 'Paris',
    });
  });

  test('streamed tool calls and their results', async () => {
    const weather = langchainTool(async ({ city }) => `sunny in ${city}`, {
      name: 'weather',
      description: 'Weather',
      schema: z.object({ city: z.string() }),
    });
    upstreams[kind].script = says(kind, { calls });
    const bound = chat().bindTools([weather]);
    const stream = await bound.stream('weather?');
    let message: Awaited<ReturnType<typeof bound.invoke>> | undefined;
    for await (const chunk of stream) message = message ? message.concat(chunk) : chunk;
    expect(message!.tool_calls!.map(({ name, args }) => [name, args])).toEqual(
      calls.map(({ name, args }) => [name, args]),
    );
    upstreams[kind].script = says(kind, { text: 'Both sunny.' });
    const results = message!.tool_calls!.map(
      (call) => new ToolMessage({ tool_call_id: call.id!, content: call.args.city }),
    );
    const answer = await bound.invoke([new HumanMessage('weather?'), message!, ...results]);
    expect(answer.content).toBe('Both sunny.');
  });

  test('errors and abort', async () => {
    upstreams[kind].script = () => refuse(429);
    const busy = await chat()
      .invoke('hi')
      .catch((error) => error);
    expect(busy.status).toBe(429);
    upstreams[kind].script = says(kind, { text: 'a b c d e f g h i j k l m n o p' }, { everyMs: 50 });
    const controller = new AbortController();
    const stream = await chat().stream('hi', { signal: controller.signal });
    await stream.next();
    controller.abort();
    await until('the upstream sees the abort', () => upstreams[kind].last().aborted);
  });
});
