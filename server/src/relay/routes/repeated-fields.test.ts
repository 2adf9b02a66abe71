import { afterAll, beforeAll, expect, test } from 'bun:test';
import { wavFile } from '../../lib/audio/sounds.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

/** What was measured and priced is what the upstream reads: programs disagree on which of two equal fields counts. */
let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(({ path }) =>
    path.includes('images')
      ? Response.json({ created: 1, data: [{ b64_json: 'AA==' }] })
      : Response.json({ text: 'hi' }),
  );
  const models = ['transcription', 'image'].map((type) => ({ model_id: `acme/${type}`, type, request_price: 0.6 }));
  await addUpstream(relay.test, upstream.url, models);
  await relay.credit(10_000_000);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const sound = (seconds: number) => {
  const { bytes } = wavFile({ tag: 1, channels: 1, rate: 8_000, bits: 8 }, seconds * 8_000);
  return new File([new Uint8Array(bytes)], 'a.wav', { type: 'audio/wav' });
};
const picture = () => new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], 'a.png', { type: 'image/png' });

type Fields = [name: string, value: string | File][];
const spoken: Fields = [
  ['model', 'acme/transcription'],
  ['file', sound(1)],
];
const drawn: Fields = [
  ['model', 'acme/image'],
  ['image', picture()],
];
const forms: Record<string, { fields: Fields; twice: Fields; lists: Fields }> = {
  '/v1/audio/transcriptions': {
    fields: spoken,
    twice: [
      ['file', sound(600)],
      ...(['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'unknown'] as const).map(
        (name): Fields[number] => [
          name,
          { response_format: 'json', temperature: '0', stream: 'false' }[name as string] ?? 'a',
        ],
      ),
    ],
    lists: [
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities', 'word'],
      ['include[]', 'logprobs'],
    ],
  },
  '/v1/audio/translations': { fields: spoken, twice: [['file', sound(600)]], lists: [] },
  '/v1/images/edits': {
    fields: [...drawn, ['prompt', 'a boat']],
    twice: [
      ['n', '1'],
      ['size', '256x256'],
      ['quality', 'low'],
      ['mask', picture()],
      ['prompt', 'a ship'],
    ],
    lists: [
      ['image', picture()],
      ['image[]', picture()],
    ],
  },
  '/v1/images/variations': { fields: drawn, twice: [['n', '1']], lists: [['image', picture()]] },
};

function send(path: string, fields: Fields): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return relay.post(path, form);
}

const cases = Object.entries(forms).flatMap(([path, { fields, twice, lists }]) => [
  ...twice.map((field) => ({ path, name: field[0], fields: [...fields, field, field], status: 400 })),
  ...lists.map((field) => ({ path, name: field[0], fields: [...fields, field, field], status: 200 })),
]);

test.each(cases)('$path with $name twice: $status', async ({ path, name, fields, status }) => {
  const before = upstream.seen.length;
  const answer = await send(path, fields);
  const said = await answer.text();
  expect([answer.status, said]).toEqual([status, expect.any(String)]);
  if (status === 400) expect(said).toContain(name);
  expect(upstream.seen.length - before).toBe(status === 400 ? 0 : 1);
});

test.each(['url', 'file_url', 'file_id', 'audio_url'])(
  'audio named by %s would be heard for the price of the file',
  async (name) => {
    const before = upstream.seen.length;
    const answer = await send('/v1/audio/transcriptions', [...spoken, [name, 'https://a.example/ten-hours.mp3']]);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(name)]);
    expect(upstream.seen.length).toBe(before);
  },
);

const counts = ['num_images', 'num_images_per_prompt', 'num_outputs', 'image_count', 'batch_size', 'samples'];
/** In every way that an upstream takes for ten. */
const tens: unknown[] = [10, '10', ' 10', '1e1', [10], 10.5];

test.each(counts)('%s cannot order more images than n', async (name) => {
  const before = upstream.seen.length;
  for (const ten of tens) {
    const drawing = { model: 'acme/image', prompt: 'a boat', [name]: ten };
    expect([ten, (await relay.post('/v1/images/generations', drawing)).status]).toEqual([ten, 400]);
  }
  for (const path of ['/v1/images/edits', '/v1/images/variations'])
    expect([path, (await send(path, [...forms[path]!.fields, [name, '10']])).status]).toEqual([path, 400]);
  expect(upstream.seen.length).toBe(before);
  for (const one of [1, '1', null]) {
    const drawing = { model: 'acme/image', prompt: 'a boat', [name]: one };
    expect([one, (await relay.post('/v1/images/generations', drawing)).status]).toEqual([one, 200]);
  }
});
