import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { oneRow, openRelayTest, type RelayTest, sdkOptions } from '../endpoints/relay.fixture.ts';
import {
  addUpstream,
  breakAfter,
  type ScriptedUpstream,
  scriptedUpstream,
  stallAfter,
} from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);
const b64_json = png.toString('base64');
const usage = { input_tokens: 20, output_tokens: 30, total_tokens: 50, input_tokens_details: { image_tokens: 12 } };
const eventType = { 'content-type': 'text/event-stream' };
const event = (json: Json): Uint8Array =>
  new TextEncoder().encode(`event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`);

let relay: RelayTest;
let upstream: ScriptedUpstream;
let client: OpenAI;
const picture = (name = 'cat.png') => toFile(png, name, { type: 'image/png' });

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  upstream = scriptedUpstream(() => Response.json({ created: 5, data: [{ b64_json }], usage }));
  const models = ['acme/draw', 'acme/gpt-image-9'].map((model_id) => ({
    model_id,
    type: 'image',
    request_price: 0.04,
  }));
  await addUpstream(relay.test, upstream.url, models, { provider: 'draw' });
  await relay.credit(1_000_000);
  client = new OpenAI({ ...sdkOptions(relay), baseURL: `${relay.test.config.baseUrl}/v1` });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const eventsOf = async (stream: AsyncIterable<unknown>): Promise<Json[]> => (await Array.fromAsync(stream)) as Json[];

describe('image edits and variations', () => {
  test('several images, a mask and a prompt are forwarded as a form', async () => {
    const { data } = await oneRow(relay, { endpoint: '/v1/images/edits', units: 1, prompt_tokens: 20 }, async () =>
      client.images.edit({
        model: 'acme/gpt-image-9',
        image: [await picture('a.png'), await picture('b.png')],
        mask: await picture('mask.png'),
        prompt: 'a hat',
        n: 1,
      }),
    );
    expect(data![0]!.b64_json).toBe(b64_json);
    const { path, body } = upstream.seen.at(-1)!;
    const form = body as FormData;
    expect(path).toBe('/v1/images/edits');
    expect(form.getAll('image[]').map((file) => (file as unknown as File).name)).toEqual(['a.png', 'b.png']);
    expect([form.get('model'), form.get('prompt'), form.get('n')]).toEqual(['acme/gpt-image-9', 'a hat', '1']);
    expect((form.get('mask') as unknown as File).size).toBe(png.length);
  });

  test('one image, and URLs on request', async () => {
    const asked = { model: 'acme/draw', image: await picture(), response_format: 'url' } as const;
    const edited = await client.images.edit({ ...asked, prompt: 'a hat' });
    expect(edited.data![0]!.url).toStartWith(`${relay.test.config.baseUrl}/v1/files/images/`);
    const varied = await oneRow(relay, { endpoint: '/v1/images/variations', units: 1 }, () =>
      client.images.createVariation(asked),
    );
    expect(varied.data![0]!.url).toBeString();
    expect(upstream.seen.at(-1)!.path).toBe('/v1/images/variations');
  });

  test('with the built-in provider', async () => {
    const given = { model: 'demo/image', image: await picture(), size: '256x256' } as const;
    for (const { data } of [
      await client.images.edit({ ...given, prompt: 'a hat', response_format: 'b64_json' }),
      await client.images.createVariation({ ...given, response_format: 'b64_json' }),
    ])
      expect(Buffer.from(data![0]!.b64_json!, 'base64').toString('latin1', 1, 4)).toBe('PNG');
  });

  test.each([
    ['edits', { image: 'x', prompt: 'x' }, 'image'],
    ['edits', { prompt: 'x' }, 'image'],
    ['edits', { image: png }, 'prompt'],
    ['edits', { image: new Uint8Array(0), prompt: 'x' }, 'image'],
    ['edits', { image: png, prompt: 'x', mask: 'x' }, 'mask'],
    ['edits', { image: png, prompt: 'x', n: '11' }, 'n'],
    ['edits', { image: png, prompt: 'x', n: 'many' }, 'n'],
    ['edits', { image: png, prompt: 'x', size: 'huge' }, 'size'],
    ['edits', { image: png, prompt: 'x', stream: 'perhaps' }, 'stream'],
    ['edits', { image: png, prompt: 'x', provider: '{' }, 'provider'],
    ['variations', {}, 'image'],
  ])('%s rejects invalid form %#', async (kind, fields, param) => {
    const form = new FormData();
    form.set('model', 'acme/draw');
    for (const [name, value] of Object.entries(fields))
      form.set(name, typeof value === 'string' ? value : new File([value as Uint8Array<ArrayBuffer>], 'x.png'));
    const answer = await relay.post(`/v1/images/${kind}`, form);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });
});

describe('streamed images', () => {
  const ask = { model: 'acme/gpt-image-9', prompt: 'a cat', stream: true, partial_images: 1 } as const;
  const partial = { type: 'image_generation.partial_image', partial_image_index: 0, b64_json, size: '1x1' };
  const completed = { type: 'image_generation.completed', b64_json, created_at: 7, size: '1x1', usage };

  test('previews and images are forwarded and charged once', async () => {
    upstream.answer(() => new Response(Buffer.concat([event(partial), event(completed)]), { headers: eventType }));
    const events = await oneRow(
      relay,
      { endpoint: '/v1/images/generations', units: 1, prompt_tokens: 20, status: 'ok' },
      async () => eventsOf(await client.images.generate(ask)),
    );
    expect(upstream.seen.at(-1)!.body).toMatchObject({ stream: true, partial_images: 1 });
    expect(events).toMatchObject([
      partial,
      { ...completed, background: 'auto', quality: 'auto', output_format: 'png' },
    ]);
  });

  test('edits can be streamed', async () => {
    const names = (name: string) => `image_edit.${name}`;
    upstream.answer(
      () =>
        new Response(
          Buffer.concat([
            event({ ...partial, type: names('partial_image') }),
            event({ ...completed, type: names('completed') }),
          ]),
          { headers: eventType },
        ),
    );
    const events = await eventsOf(await client.images.edit({ ...ask, image: await picture() }));
    expect((upstream.seen.at(-1)!.body as FormData).get('stream')).toBe('true');
    expect(events.map(({ type }) => type)).toEqual([names('partial_image'), names('completed')]);
  });

  test('an upstream without streaming gives one event per image', async () => {
    upstream.answer(() => Response.json({ created: 5, data: [{ b64_json }, { b64_json }] }));
    const events = await oneRow(relay, { endpoint: '/v1/images/generations', units: 2 }, async () =>
      eventsOf(await client.images.generate({ ...ask, model: 'acme/draw', n: 2 })),
    );
    expect(upstream.seen.at(-1)!.body).not.toHaveProperty('stream');
    expect(events).toMatchObject([{ type: 'image_generation.completed', b64_json, created_at: 5 }, { b64_json }]);
    expect(events[0]).toMatchObject({ usage: { input_tokens: expect.any(Number), total_tokens: expect.any(Number) } });
  });

  test('an error before the first event sets the status, a later one ends the stream', async () => {
    upstream.answer(() =>
      Response.json({ error: { message: 'not this', code: 'moderation_blocked' } }, { status: 400 }),
    );
    expect(await client.images.generate(ask).catch((error) => error)).toMatchObject({ status: 400 });
    upstream.answer(breakAfter([event(partial)], eventType));
    const broken = await oneRow(
      relay,
      { endpoint: '/v1/images/generations', units: 1, status: 'interrupted' },
      async () => eventsOf(await client.images.generate(ask)).catch((error) => error),
    );
    expect(broken).toBeInstanceOf(OpenAI.APIError);
  });

  test('a client that disconnects after a preview is charged', async () => {
    upstream.answer(stallAfter([event(partial)], eventType));
    await oneRow(relay, { endpoint: '/v1/images/generations', units: 1, status: 'aborted' }, async () => {
      const leaving = new AbortController();
      const stream = await client.images.generate(ask, { signal: leaving.signal });
      for await (const { type } of stream) {
        expect(type).toBe('image_generation.partial_image');
        leaving.abort();
      }
    });
  });
});
