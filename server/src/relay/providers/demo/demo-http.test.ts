import { describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { type DemoHttpInit, demoHttp } from './demo-http.ts';

const client = new OpenAI({
  apiKey: 'none',
  baseURL: 'http://demo.invalid/v1',
  maxRetries: 0,
  fetch: (url, init) => demoHttp(url as string, init as DemoHttpInit, { paceMs: 0 }),
});
const messages = [{ role: 'user' as const, content: 'Count to 5' }];

describe('the openai client', () => {
  test('chats, whole and streamed', async () => {
    const whole = await client.chat.completions.create({ model: 'demo/chat', messages });
    const stream = await client.chat.completions.create({ model: 'demo/chat', messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(whole.choices[0]!.message.content!);
    expect(text).toEndWith('1, 2, 3, 4, 5');
  });

  test('embeds, moderates, draws and lists', async () => {
    const embedding = await client.embeddings.create({ model: 'demo/embed', input: 'a text' });
    expect(embedding.data[0]!.embedding).toHaveLength(256);
    expect((await client.moderations.create({ input: 'hello' })).results[0]!.flagged).toBe(false);
    const image = await client.images.generate({ model: 'demo/image', prompt: 'a boat', size: '256x256' });
    expect(Buffer.from(image.data![0]!.b64_json!, 'base64').toString('latin1', 1, 4)).toBe('PNG');
    expect((await client.models.list()).data.map((model) => model.id)).toContain('demo/video');
  });

  test('speaks and transcribes', async () => {
    const speech = await client.audio.speech.create({ model: 'demo/speech', voice: 'alloy', input: 'Hello there' });
    const file = await toFile(await speech.arrayBuffer(), 'hello.mp3');
    const heard = await client.audio.transcriptions.create({ model: 'demo/transcribe', file });
    expect(heard.text).toContain('hello.mp3');
  });

  test('sees errors as its own', async () => {
    const failing = client.chat.completions.create({ model: 'demo/none', messages }).catch((fault: unknown) => fault);
    expect(await failing).toBeInstanceOf(OpenAI.NotFoundError);
  });
});

test('a body that is not JSON is refused', async () => {
  const response = await demoHttp('http://demo.invalid/v1/embeddings', { method: 'POST', body: '{' });
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: { code: string } }).error.code).toBe('invalid_json');
});
