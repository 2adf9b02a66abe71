import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import { openRelayTest, type RelayTest, sdkOptions } from '../endpoints/relay.fixture.ts';
import { aliasesOf } from './aliases.ts';

let relay: RelayTest;
let azure: AzureOpenAI;

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  azure = new AzureOpenAI({
    ...sdkOptions(relay),
    endpoint: relay.test.config.baseUrl,
    apiVersion: '2024-10-21',
  });
});
afterAll(() => relay.close());

const messages = [{ role: 'user' as const, content: 'Hello' }];
const question = { messages };

describe('Azure’s paths', () => {
  test('Azure’s client: chat, whole and streamed, embeddings, images, audio and models', async () => {
    const whole = await azure.chat.completions.create({ model: 'demo/chat', messages });
    expect(whole.model).toBe('demo/chat');
    const stream = await azure.chat.completions.create({ model: 'demo/chat', messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(whole.choices[0]!.message.content!);
    const { data } = await azure.embeddings.create({ model: 'demo/embed', input: 'tea' });
    expect(data[0]!.embedding.length).toBe(256);
    const drawn = await azure.images.generate({ model: 'demo/image', prompt: 'tea', size: '256x256' });
    expect(drawn.data).toHaveLength(1);
    const spoken = await azure.audio.speech.create({ model: 'demo/speech', input: 'tea', voice: 'alloy' });
    const file = await toFile(await spoken.bytes(), 'tea.mp3');
    expect((await azure.audio.transcriptions.create({ model: 'demo/transcribe', file })).text).toBeString();
    expect((await azure.models.list()).data.map(({ id }) => id)).toContain('demo/chat');
  });

  test('OpenAI’s client at Azure’s v1 path', async () => {
    const baseURL = `${relay.test.config.baseUrl}/openai/v1`;
    const client = new OpenAI({ ...sdkOptions(relay), baseURL });
    expect((await client.chat.completions.create({ model: 'demo/chat', messages })).model).toBe('demo/chat');
    expect((await client.models.retrieve('demo/chat')).id).toBe('demo/chat');
  });

  test.each(['demo/chat', 'demo%2Fchat', 'demo%2fch%61t'])(
    'the model in the path %s takes precedence',
    async (name) => {
      const path = `/openai/deployments/${name}/chat/completions?api-version=2024-10-21`;
      for (const body of [question, { ...question, model: 'nothing' }]) {
        const answer = await relay.post(path, body);
        expect(answer.status).toBe(200);
        expect(((await answer.json()) as { model: string }).model).toBe('demo/chat');
        expect(await relay.usageOf(answer)).toMatchObject({ model: 'demo/chat', endpoint: '/v1/chat/completions' });
      }
    },
  );

  test('the model in the path takes precedence over a form field', async () => {
    const spoken = await relay.post('/v1/audio/speech', { model: 'demo/speech', input: 'tea', voice: 'alloy' });
    for (const said of [undefined, 'nothing']) {
      const body = new FormData();
      body.set('file', new File([await spoken.clone().bytes()], 'tea.mp3'));
      if (said) body.set('model', said);
      const path = '/openai/deployments/demo/transcribe/audio/transcriptions';
      expect((await relay.get(path, { method: 'POST', body })).status).toBe(200);
    }
  });

  test.each([
    ['POST', '/openai/deployments/demo/chat/nothing', 404],
    ['POST', '/openai/deployments/chat/embed', 404],
    // A text completion by a model of that name, without its prompt.
    ['POST', '/openai/deployments/chat/completions', 400],
    ['POST', '/openai/deployments/nothing/chat/completions', 404],
    ['POST', '/openai/v1/nothing', 404],
    ['POST', '/openai/v1/openai/v1/chat/completions', 404],
    ['POST', '/openai/v1', 404],
    ['PUT', '/openai/v1/chat/completions', 405],
    ['GET', '/openai/deployments/demo/chat/chat/completions', 405],
  ])('%s %s returns an error in OpenAI’s format: %i', async (method, path, status) => {
    const answer = await relay.get(path, { method, ...(method !== 'GET' && { body: question }) });
    expect(answer.status).toBe(status);
    if (path.length > '/openai/v1'.length)
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
  });

  test('an invalid body gives the same error as at the usual path', async () => {
    const path = '/openai/deployments/demo/chat/chat/completions';
    for (const body of ['null', '[]', '7', '{']) {
      const answer = await relay.post(path, body);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toBe(await (await relay.post('/v1/chat/completions', body)).text());
    }
  });

  test('a path of many slashes needs only a few lookups', () => {
    expect(aliasesOf(`/openai/deployments/${'a/'.repeat(5_000)}b`)).toHaveLength(3);
    expect(aliasesOf('/v1/chat/completions')).toEqual([]);
  });
});

describe('Google’s paths', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];

  // Google's clients take a name with a slash for one that brings its collection along.
  test.each(['/v1beta', '/v1'])('model names with a slash need no collection under %s', async (version) => {
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse', 'countTokens']) {
      const answer = await relay.post(`${version}/demo/chat:${method}`, { contents });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
  });

  test('missing models and methods return 404 in Google’s format', async () => {
    const answer = await relay.post('/v1beta/tunedModels/nothing:generateContent', { contents });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
    expect((await relay.post('/v1beta/demo/chat:nothing', { contents })).status).toBe(404);
  });
});
