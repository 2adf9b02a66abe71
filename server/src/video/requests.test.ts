import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

let world: VideoTest;
let client: Client;
const upstream = startUpstream('openai', { status: 'queued' });

beforeAll(async () => {
  world = await openVideoTest({ env: { WEB_URL: 'http://web.test' } });
  await addModel(world.root.call, upstream.url);
  const { modelId } = await addModel(world.root.call, upstream.url, { model: 'films/off' });
  await world.root.call(`/api/admin/provider-models/${modelId}`, { method: 'PUT', body: { status: 2 } });
  const able = { generate_audio: true, seed: true, supported_frame_images: ['first_frame', 'last_frame'] };
  await addModel(world.root.call, upstream.url, { kind: 'openrouter', model: 'films/able', capabilities: able });
  client = await world.client(10_000_000);
});
afterAll(async () => {
  await world.close();
  upstream.stop();
});

const send = async (body: unknown, headers: Record<string, string> = {}) => {
  const answer = await client.call('/v1/videos', { method: 'POST', body, headers });
  return { status: answer.status, body: (await answer.json()) as { error: { code: number; message: string } } };
};
const refusal = (code: number, message: string) => ({ status: code, body: { error: { code, message } } });
const one = { model: 'films/one', prompt: 'a lighthouse' };
const able = { model: 'films/able', prompt: 'a lighthouse' };
const picture = 'data:image/png;base64,iVBORw0KGgo=';
const frame = (url: string, frame_type = 'first_frame') => ({ frame_type, image_url: { url } });

describe('accepted requests', () => {
  test.each([
    ['only a prompt', one],
    ['a bare model name', { ...one, model: 'one' }],
    ['aspect_ratio', { ...one, aspect_ratio: '9:16' }],
    ['duration', { ...one, duration: 8 }],
    ['resolution', { ...one, resolution: '1080p' }],
    ['size', { ...one, size: '1280x720' }],
    ['generate_audio if the model supports it', { ...able, generate_audio: true }],
    ['seed if the model supports it', { ...able, seed: 7 }],
    ['callback_url', { ...one, callback_url: 'https://localhost:1/hook' }],
    ['a frame instead of a prompt', { model: 'films/one', frame_images: [frame(picture)] }],
    ['two frames', { ...able, frame_images: [frame('https://a.test/1.png'), frame(picture, 'last_frame')] }],
    [
      'an image reference instead of a prompt',
      { model: 'demo/video', input_references: [{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }] },
    ],
    [
      'a video reference',
      { ...able, input_references: [{ type: 'video_url', video_url: { url: 'https://a.test/b.mp4' } }] },
    ],
    ['absent fields as null', { ...one, seed: null, frame_images: null, aspect_ratio: null }],
    ['provider preferences', { ...one, provider: { order: ['films-0'], allow_fallbacks: true } }],
  ])('%s', async (_, body) => {
    const answer = await client.call('/v1/videos', { method: 'POST', body });
    const job = (await answer.json()) as Record<string, string>;
    expect(answer.status).toBe(202);
    expect(job).toEqual({
      id: expect.stringMatching(/^job-[a-z0-9]{24}$/),
      generation_id: expect.stringMatching(/^gen-/),
      polling_url: `/v1/videos/${job.id}`,
      status: 'pending',
    });
  });
});

const invalid = 'Invalid request parameters';
describe('rejected requests', () => {
  test.each([
    ['no model', { prompt: 'x' }, 400, invalid],
    ['a model that is not a string', { model: 5, prompt: 'x' }, 400, invalid],
    ['an array', [], 400, invalid],
    ['null', null, 400, invalid],
    ['an unknown model', { model: 'no/such', prompt: 'x' }, 404, 'Resource not found'],
    ['a disabled model', { model: 'films/off', prompt: 'x' }, 404, 'Resource not found'],
    ['a model of another type', { model: 'demo/chat', prompt: 'x' }, 404, 'Resource not found'],
    ['no prompt', { model: 'films/one' }, 400, 'Prompt is required unless image input is provided'],
    ['a blank prompt', { ...one, prompt: ' ' }, 400, 'Prompt is required unless image input is provided'],
    [
      'only a video reference',
      { model: 'films/able', input_references: [{ type: 'video_url', video_url: { url: 'https://a.test/b.mp4' } }] },
      400,
      'Prompt is required unless image input is provided',
    ],
    ['a prompt that is not a string', { ...one, prompt: 5 }, 400, `${invalid}: prompt`],
    ['an unknown aspect_ratio', { ...one, aspect_ratio: '5:4' }, 400, 'Unsupported aspect_ratio'],
    ['an unknown resolution', { ...one, resolution: '8K' }, 400, 'Unsupported resolution'],
    ['an invalid size', { ...one, size: 'large' }, 400, 'Unsupported size'],
    [
      'an aspect_ratio of other models',
      { ...one, aspect_ratio: '1:1' },
      400,
      'aspect_ratio 1:1 is not supported by films/one',
    ],
    ['a resolution of other models', { ...one, resolution: '4K' }, 400, 'resolution 4K is not supported by films/one'],
    ['a size of other models', { ...one, size: '640x480' }, 400, 'size 640x480 is not supported by films/one'],
    ['a duration of other models', { ...one, duration: 5 }, 400, 'duration 5 is not supported by films/one'],
    ['a duration of 0', { ...one, duration: 0 }, 400, `${invalid}: duration`],
    ['a fractional duration', { ...one, duration: 4.5 }, 400, `${invalid}: duration`],
    ['a huge duration', { ...able, duration: 1e30 }, 400, `${invalid}: duration`],
    ['audio', { ...one, generate_audio: true }, 400, `${invalid}: generate_audio is not supported by films/one`],
    ['a seed', { ...one, seed: 1 }, 400, `${invalid}: seed is not supported by films/one`],
    ['a seed that is not an integer', { ...able, seed: 1.5 }, 400, `${invalid}: seed`],
    [
      'a last frame',
      { ...one, frame_images: [frame(picture, 'last_frame')] },
      400,
      `${invalid}: frame_images with frame_type last_frame`,
    ],
    [
      'a middle frame',
      { ...one, frame_images: [frame(picture, 'middle')] },
      400,
      `${invalid}: frame_images.0.frame_type`,
    ],
    [
      'frames for a model without them',
      { ...one, model: 'demo/video', frame_images: [frame(picture)] },
      400,
      `${invalid}: frame_images is not supported by demo/video`,
    ],
    [
      'the same frame twice',
      { ...able, frame_images: [frame(picture), frame(picture)] },
      400,
      `${invalid}: frame_images`,
    ],
    [
      'a javascript: frame',
      { ...one, frame_images: [frame('javascript:alert(1)')] },
      400,
      `${invalid}: frame_images.0.image_url.url`,
    ],
    [
      'a file: frame',
      { ...one, frame_images: [frame('file:///etc/passwd')] },
      400,
      `${invalid}: frame_images.0.image_url.url`,
    ],
    [
      'a frame over http',
      { ...one, frame_images: [frame('http://a.test/b.png')] },
      400,
      `${invalid}: frame_images.0.image_url.url`,
    ],
    [
      'an HTML frame',
      { ...one, frame_images: [frame('data:text/html;base64,AAAA')] },
      400,
      `${invalid}: frame_images.0.image_url.url`,
    ],
    [
      'a reference without URL',
      { ...able, input_references: [{ type: 'image_url' }] },
      400,
      `${invalid}: input_references.0.image_url`,
    ],
    [
      'a reference of another type',
      { ...able, input_references: [{ type: 'audio_url' }] },
      400,
      `${invalid}: input_references.0.type`,
    ],
    ['100,000 references', { ...able, input_references: Array(100_000).fill({}) }, 400, `${invalid}: input_references`],
    ['a callback over http', { ...one, callback_url: 'http://a.test/hook' }, 400, 'callback_url must be HTTPS'],
    ['a callback that is not a URL', { ...one, callback_url: 'hook' }, 400, 'callback_url must be HTTPS'],
    ['a callback with a password', { ...one, callback_url: 'https://a:b@a.test/' }, 400, `${invalid}: callback_url`],
    ['an unknown field', { ...one, colour: 'red' }, 400, `${invalid}: colour is not supported by films/one`],
    [
      'invalid provider preferences',
      { ...one, provider: { only: 5 } },
      400,
      `${invalid}: Invalid value for 'provider.only'`,
    ],
    ['NUL', { ...one, prompt: 'a\0b' }, 400, `${invalid}: NUL characters`],
  ])('%s', async (_, body, code, message) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: code, body: { error: { code } } });
    if (message.startsWith(`${invalid}:`)) expect(answer.body.error.message).toStartWith(message);
    else expect(answer.body.error.message).toBe(message);
  });

  test('the fixed messages are exact', async () => {
    expect(await send({})).toEqual(refusal(400, invalid));
    expect(await send('{"model":')).toEqual(refusal(400, invalid));
    expect(await send({ ...one, aspect_ratio: '5:4' })).toEqual(refusal(400, 'Unsupported aspect_ratio'));
    expect(await send({ model: 'no/such' })).toEqual(refusal(404, 'Resource not found'));
    expect((await send('model=x', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await send('['.repeat(200_000))).status).toBe(400);
  });

  test('missing or invalid key', async () => {
    const expected = { error: { code: 401, message: 'Missing Authentication header' } };
    for (const headers of [{}, { authorization: 'Bearer sk-wrong' }, { authorization: 'Basic x' }] as Record<
      string,
      string
    >[]) {
      for (const path of ['/v1/videos', '/v1/videos/models', '/v1/videos/job-x', '/v1/videos/job-x/content']) {
        const answer = await world.test.call(path, { headers });
        expect([path, answer.status, await answer.json()]).toEqual([path, 401, expected]);
      }
    }
  });

  test('insufficient balance, with nothing stored', async () => {
    const poor = await world.client(1_000);
    const answer = await poor.call('/v1/videos', { method: 'POST', body: one });
    const message = 'Insufficient credits. Add more using http://web.test/credits';
    expect([answer.status, await answer.json()]).toEqual([402, { error: { code: 402, message } }]);
    expect(await poor.quota()).toBe(1_000);
    expect(await (await poor.call('/v1/videos')).json()).toMatchObject({ total: 0, data: [] });
  });

  test('a key with too little quota', async () => {
    const short = await world.client(10_000_000, { unlimited_quota: false, remain_quota: 10 });
    expect((await short.call('/v1/videos', { method: 'POST', body: one })).status).toBe(402);
  });

  test('a key that may not use the model', async () => {
    const limited = await world.client(10_000_000, { models: ['demo/video'] });
    const answer = await limited.call('/v1/videos', { method: 'POST', body: one });
    const message = 'This token is not authorized to use model: films/one';
    expect([answer.status, await answer.json()]).toEqual([403, { error: { code: 403, message } }]);
    const listed = (await (await limited.call('/v1/videos/models')).json()) as { data: { id: string }[] };
    expect(listed.data.map((model) => model.id)).toEqual(['demo/video']);
  });

  test('too many requests', async () => {
    const busy = await world.client();
    await world.test.setOption('RateLimitV1', 2);
    const answers = [await busy.call('/v1/videos'), await busy.call('/v1/videos'), await busy.call('/v1/videos')];
    await world.test.setOption('RateLimitV1', 100_000);
    const last = answers[2]!;
    expect([last.status, await last.json()]).toEqual([429, { error: { code: 429, message: 'Rate limit exceeded' } }]);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test('lists models with their capabilities', async () => {
  const { object, data } = (await (await client.call('/v1/videos/models')).json()) as {
    object: string;
    data: Record<string, unknown>[];
  };
  expect(object).toBe('list');
  expect(data.map((model) => model.id)).toEqual(['demo/video', 'films/able', 'films/one']);
  expect(data[2]).toEqual({
    id: 'films/one',
    name: expect.any(String),
    description: '',
    created: expect.any(Number),
    supported_aspect_ratios: ['16:9', '9:16'],
    supported_resolutions: ['720p', '1080p'],
    supported_durations: [4, 8],
    supported_sizes: ['1280x720', '720x1280', '1920x1080', '1080x1920'],
    supported_frame_images: ['first_frame'],
    generate_audio: false,
    seed: false,
    pricing: { per_second: 0.1 },
  });
});
