import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { costOf } from '../../lib/money.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream, stall } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);
const inline = { b64_json: png.toString('base64'), revised_prompt: 'a better cat' };

let ahead = 0;
const clock: Clock = { ...systemClock, nowMs: () => Date.now() + ahead };
let relay: RelayTest;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest({ clock });
  upstream = scriptedUpstream();
  const models = ['acme/draw', 'acme/gpt-image-9'].map((model_id) => ({
    model_id,
    type: 'image',
    request_price: 0.04,
  }));
  await addUpstream(relay.test, upstream.url, models, { provider: 'draw' });
  await relay.credit(1_000_000);
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const draw = (body: Json, signal?: AbortSignal) =>
  relay.post('/v1/images/generations', { model: 'acme/draw', prompt: 'a cat', ...body }, signal ? { signal } : {});
const drawn = async (body: Json) => (await (await draw(body)).json()) as { created: number; data: Json[] };
const bytesOf = async (url: unknown) => {
  const answer = await relay.test.call(new URL(String(url)).pathname);
  return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status;
};

describe('response formats', () => {
  test('inline images become our URLs, or stay inline on request', async () => {
    upstream.answer(() => Response.json({ created: 5, data: [inline] }));
    const { created, data } = await drawn({ response_format: 'url' });
    expect(created).toBe(5);
    expect(data[0]).toMatchObject({ revised_prompt: 'a better cat' });
    expect(data[0]!.b64_json).toBeUndefined();
    expect(String(data[0]!.url)).toStartWith(`${relay.test.config.baseUrl}/v1/files/images/`);
    expect(await bytesOf(data[0]!.url)).toEqual(png);
    expect((await drawn({ response_format: 'b64_json' })).data).toEqual([inline]);
  });

  test('upstream URLs become our URLs, or inline images', async () => {
    upstream.answer(({ path }) =>
      path.endsWith('.png')
        ? new Response(png, { headers: { 'content-type': 'image/png' } })
        : Response.json({ data: [{ url: `${upstream.url}/made.png` }] }),
    );
    const { data } = await drawn({});
    expect(String(data[0]!.url)).not.toContain(upstream.url);
    expect(await bytesOf(data[0]!.url)).toEqual(png);
    expect((await drawn({ response_format: 'b64_json' })).data[0]!.b64_json).toBe(inline.b64_json);
    const asked = upstream.seen.filter(({ path }) => path.endsWith('.png'));
    expect(asked.every(({ headers }) => !headers.has('authorization'))).toBe(true);
  });

  test('models without URLs answer inline unless URLs are requested', async () => {
    upstream.answer(() => Response.json({ data: [inline] }));
    expect((await drawn({ model: 'acme/gpt-image-9' })).data[0]!.b64_json).toBe(inline.b64_json);
    expect((await drawn({ model: 'acme/gpt-image-9', response_format: 'url' })).data[0]!.url).toBeString();
    expect((upstream.seen.at(-1)!.body as Json).response_format).toBeUndefined();
  });

  test('content that is not an image is served only as a download', async () => {
    upstream.answer(() => Response.json({ data: [{ b64_json: Buffer.from('<script>').toString('base64') }] }));
    const { data } = await drawn({ response_format: 'url' });
    const answer = await relay.test.call(new URL(String(data[0]!.url)).pathname);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('failures', () => {
  test('an image URL in the private network is not fetched', async () => {
    const inside = scriptedUpstream(() => new Response(png));
    upstream.answer(() => Response.json({ data: [{ url: `${inside.url}/secret` }] }));
    expect((await draw({})).status).toBe(502);
    expect(inside.seen.length).toBe(0);
    await inside.close();
  });

  test('returns 502 without a charge if the upstream returns no image', async () => {
    const before = await relay.money();
    for (const data of [[], [{}], [{ url: 7 }]]) {
      upstream.answer(() => Response.json({ data }));
      expect((await draw({})).status).toBe(502);
    }
    expect(await relay.money()).toEqual(before);
  });

  test('an empty image is none, in whatever form; base64 may be a data URL', async () => {
    const model = 'acme/blank';
    await addUpstream(relay.test, upstream.url, [{ model_id: model, type: 'image', request_price: 0.04 }]);
    const before = await relay.money();
    const empty = [{ b64_json: '!!!' }, { url: 'data:image/png;base64,' }, { url: `${upstream.url}/made.png` }];
    for (const item of empty) {
      upstream.answer(({ path }) => (path.endsWith('.png') ? new Response('') : Response.json({ data: [item] })));
      expect([item, (await draw({ model })).status]).toEqual([item, 502]);
    }
    expect(await relay.money()).toEqual(before);
    upstream.answer(() => Response.json({ data: [{ b64_json: `data:image/png;base64,${inline.b64_json}` }] }));
    const { data } = await drawn({ model, response_format: 'b64_json' });
    expect(data).toEqual([{ b64_json: inline.b64_json }]);
  });

  test('a client that disconnects ends the upstream call', async () => {
    upstream.answer(stall);
    const leaving = new AbortController();
    const asked = upstream.next();
    const answer = draw({}, leaving.signal);
    const seen = await asked;
    leaving.abort();
    await seen.aborted;
    expect((await answer).status).toBe(499);
  });

  test('unknown file names return 404', async () => {
    for (const name of ['x', '..%2f..%2fsvc.db', `zzzzzzz-${'0'.repeat(32)}.png`, 'zzzzzzz-short.png']) {
      const answer = await relay.test.call(`/v1/files/images/${name}`);
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });
});

test('charges exactly per image', async () => {
  upstream.answer(() => Response.json({ data: [inline, inline, inline] }));
  const before = await relay.money();
  const answer = await draw({ n: 3, response_format: 'b64_json' });
  const cost = costOf(
    { promptPrice: 0, completionPrice: 0, requestPrice: 0.04 },
    { promptTokens: 0, completionTokens: 0, units: 3 },
  );
  expect(cost).toBe(60_000);
  expect(answer.headers.get('x-svc-cost')).toBe(`${cost}`);
  expect(before.quota - (await relay.money()).quota).toBe(cost);
  expect(await relay.usageOf(answer)).toMatchObject({ model: 'acme/draw', units: 3, quota: cost });
});

test('image URLs expire after a day', async () => {
  upstream.answer(() => Response.json({ data: [inline] }));
  const { data } = await drawn({ response_format: 'url' });
  const { url } = data[0]!;
  ahead = 23 * 3_600_000;
  expect(await bytesOf(url)).toEqual(png);
  ahead = 24 * 3_600_000 + 1_000;
  expect(await bytesOf(url)).toBe(404);
});
