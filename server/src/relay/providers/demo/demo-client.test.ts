import { describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { isObject } from '../../../lib/is-object.ts';
import { demoFetch } from './demo-fetch.ts';

const client = new OpenAI({
  apiKey: 'none',
  baseURL: 'http://demo.invalid/v1',
  maxRetries: 0,
  fetch: (url, init) => {
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : init?.body;
    const stream = isObject(body) && body.stream === true;
    const signal = init?.signal ?? new AbortController().signal;
    return demoFetch({ path: new URL(String(url)).pathname, body, stream, signal }, { paceMs: 0 });
  },
});
const messages = [{ role: 'user' as const, content: 'Count to 5' }];

describe('the OpenAI client', () => {
  test('chats, whole and streamed', async () => {
    const whole = await client.chat.completions.create({ model: 'demo/chat', messages });
    const stream = await client.chat.completions.create({ model: 'demo/chat', messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(whole.choices[0]!.message.content!);
    expect(text).toEndWith('1, 2, 3, 4, 5');
  });

  test('creates embeddings, moderations and images and lists models', async () => {
    const embedding = await client.embeddings.create({ model: 'demo/embed', input: 'a text' });
    expect(embedding.data[0]!.embedding).toHaveLength(256);
    expect((await client.moderations.create({ input: 'hello' })).results[0]!.flagged).toBe(false);
    const image = await client.images.generate({ model: 'demo/image', prompt: 'a boat', size: '256x256' });
    expect(Buffer.from(image.data![0]!.b64_json!, 'base64').toString('latin1', 1, 4)).toBe('PNG');
    expect((await client.models.list()).data.map((model) => model.id)).toContain('demo/video');
  });

  test('creates speech and transcriptions', async () => {
    const speech = await client.audio.speech.create({ model: 'demo/speech', voice: 'alloy', input: 'Hello there' });
    const file = await toFile(await speech.arrayBuffer(), 'hello.mp3');
    const heard = await client.audio.transcriptions.create({ model: 'demo/transcribe', file });
    expect(heard.text).toContain('hello.mp3');
  });

  test('throws its own error types', async () => {
    const failing = client.chat.completions.create({ model: 'demo/none', messages }).catch((fault: unknown) => fault);
    expect(await failing).toBeInstanceOf(OpenAI.NotFoundError);
  });
});
