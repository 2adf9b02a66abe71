import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { awsHeaders } from '../credentials/aws-signature.ts';
import type { SeenRequest } from '../scripted-upstream.fixture.ts';
import { eventFrame } from './bedrock/frames.fixture.ts';
import {
  accessKey,
  answers,
  type BedrockTest,
  clients,
  headers,
  type Loose,
  novaUsage,
  openBedrockTest,
  said,
  upstreamNames,
  ways,
} from './bedrock/upstream.fixture.ts';

let bedrock: BedrockTest;
beforeAll(async () => {
  bedrock = await openBedrockTest();
});
beforeEach(() => {
  bedrock.upstream.seen.length = 0;
});
afterAll(() => bedrock.close());

for (const way of ways)
  for (const [client, { path, body, textOf }] of Object.entries(clients))
    for (const stream of [false, true])
      test(`${way} for a ${client} client, ${stream ? 'streamed' : 'whole'}: answer and price`, async () => {
        bedrock.upstream.answer(answers(way));
        const answer = await bedrock.relay.post(path, { ...body(`bed/${way}`), stream });
        const got = await answer.text();
        expect([answer.status, textOf(got, stream)]).toEqual([200, said]);
        expect(got).not.toContain('amazon');
        expect(got).not.toContain(upstreamNames[way]);
        if (client !== 'responses') expect(got).toContain(`"model":"bed/${way}"`);
        expect(await bedrock.relay.usageOf(answer)).toMatchObject({
          ...{ prompt_tokens: 10, completion_tokens: 4, quota: 10 * 5 + 4 * 10, status: 'ok', provider: 'bedrock' },
        });
        const [seen] = bedrock.upstream.seen;
        expect(seen!.headers.get('authorization')).toBe(await signatureOf(seen!));
        expect(seen!.headers.get('x-amz-security-token')).toBe('token/of+a=session');
        expect(JSON.stringify([...seen!.headers])).not.toContain('wJalr');
      });

/** Of a request as it came, by the credential that it should have been signed with. */
async function signatureOf({ method, path, headers, body }: SeenRequest): Promise<string> {
  const request = {
    url: `http://${headers.get('host')}${path}`,
    method: method as 'POST',
    headers: {},
    body: JSON.stringify(body),
  };
  const proof = { by: 'aws', credential: accessKey, service: 'bedrock', region: 'us-east-1' } as const;
  return (await awsHeaders(request, proof, headers.get('x-amz-date')!)).authorization!;
}

describe('requests to Claude', () => {
  const sent = async (body: object, more: Record<string, string> = {}): Promise<Loose> => {
    bedrock.upstream.answer(answers('claude'));
    const { path, body: usual } = clients.messages!;
    const answer = await bedrock.relay.post(path, { ...usual('bed/claude'), ...body }, { headers: more });
    await answer.text();
    return bedrock.upstream.seen[0];
  };

  test('the Messages body is sent without the fields that Bedrock takes elsewhere', async () => {
    const { path, body } = await sent({ system: 's', top_k: 3, service_tier: 'auto', stream: true });
    expect(decodeURIComponent(path)).toBe(`/model/${upstreamNames.claude}/invoke-with-response-stream`);
    expect(body).toEqual({
      ...{ max_tokens: 50, system: 's', top_k: 3, messages: [{ role: 'user', content: 'hello' }] },
      anthropic_version: 'bedrock-2023-05-31',
    });
  });

  test('only betas known to Bedrock are sent', async () => {
    const { body, headers } = await sent(
      {},
      {
        'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14, context-management-2025-06-27',
      },
    );
    expect(body.anthropic_beta).toEqual(['context-management-2025-06-27', 'interleaved-thinking-2025-05-14']);
    expect(headers.get('anthropic-beta')).toBeNull();
  });
});

test('requests through a proxy are signed', async () => {
  // Like a proxy it has everything sent by `fetch`.
  const through = await openBedrockTest({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  const { path, body, textOf } = clients.chat!;
  for (const stream of [false, true]) {
    through.upstream.answer(answers('nova'));
    const answer = await through.relay.post(path, { ...body('bed/nova'), stream });
    expect(textOf(await answer.text(), stream)).toBe(said);
    const seen = through.upstream.seen.at(-1)!;
    expect(seen.headers.get('authorization')).toBe(await signatureOf(seen));
  }
  await through.close();
});

test('image URLs are fetched for every client format', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=',
    'base64',
  );
  const pictures = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(png) });
  const fetching = await openBedrockTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  const url = `${pictures.url}a.png`;
  const given: Record<string, object> = {
    chat: { type: 'image_url', image_url: { url } },
    messages: { type: 'image', source: { type: 'url', url } },
  };
  fetching.upstream.answer(answers('nova'));
  for (const [client, part] of Object.entries(given)) {
    const { path, body } = clients[client]!;
    await fetching.relay.post(path, { ...body('bed/nova'), messages: [{ role: 'user', content: [part] }] });
    const image = { format: 'png', source: { bytes: png.toString('base64') } };
    expect((fetching.upstream.seen.at(-1)!.body as Loose).messages).toEqual([{ role: 'user', content: [{ image }] }]);
  }
  // Claude is asked in the words of the client.
  fetching.upstream.answer(answers('claude'));
  const result = { type: 'tool_result', tool_use_id: 't1', content: [given.messages] };
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] };
  const messages = [{ role: 'user', content: [given.messages] }, use, { role: 'user', content: [result] }];
  await fetching.relay.post('/v1/messages', { ...clients.messages!.body('bed/claude'), messages });
  const source = { type: 'base64', media_type: 'image/png', data: png.toString('base64') };
  const sent = (fetching.upstream.seen.at(-1)!.body as Loose).messages;
  expect([sent[0].content[0].source, sent[2].content[0].content[0].source]).toEqual([source, source]);
  await fetching.close();
  await pictures.stop(true);
});

describe('embeddings', () => {
  const embed = (model: string, input: unknown, more: object = {}) =>
    bedrock.relay.post('/v1/embeddings', { model, input, encoding_format: 'float', ...more });

  test('Titan: one text', async () => {
    bedrock.upstream.answer(() => Response.json({ embedding: [0.5, 0.25], inputTextTokenCount: 3 }));
    const answer = await embed('bed/titan', 'near texts', { dimensions: 256 });
    expect(await answer.json()).toMatchObject({
      data: [{ index: 0, embedding: [0.5, 0.25] }],
      usage: { prompt_tokens: 3 },
    });
    expect(bedrock.upstream.seen[0]!.body).toEqual({ inputText: 'near texts', dimensions: 256 });
  });

  test('Titan: several texts are sent in parallel, returned in order and charged together', async () => {
    let open = 0;
    let most = 0;
    bedrock.upstream.answer(async ({ body }) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open -= 1;
      const place = Number((body as Loose).inputText);
      return Response.json({ embedding: [place], inputTextTokenCount: 1 });
    });
    const input = Array.from({ length: 20 }, (_, i) => `${i}`);
    const { data, usage } = (await (await embed('bed/titan', input)).json()) as Loose;
    expect(data.map((one: Loose) => [one.index, one.embedding])).toEqual(input.map((_, i) => [i, [i]]));
    expect(usage.prompt_tokens).toBe(20);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });

  test('Titan: if one of several texts fails, the request fails and is not charged', async () => {
    bedrock.upstream.answer(({ body }) =>
      (body as Loose).inputText === '3'
        ? Response.json({ message: 'no' }, { status: 500 })
        : Response.json({ embedding: [1], inputTextTokenCount: 1 }),
    );
    const before = await bedrock.relay.money();
    expect((await embed('bed/titan', ['1', '2', '3', '4'])).status).toBe(502);
    expect(await bedrock.relay.money()).toEqual(before);
  });

  test('Cohere: several texts', async () => {
    bedrock.upstream.answer(() => Response.json({ id: 'e', embeddings: { float: [[1], [2]] }, texts: ['a', 'b'] }));
    const answer = await embed('bed/cohere', ['near', 'texts']);
    const { data, usage } = (await answer.json()) as Loose;
    expect(data.map((one: Loose) => one.embedding)).toEqual([[1], [2]]);
    expect(usage.prompt_tokens).toBe(2);
    expect(bedrock.upstream.seen[0]!.body).toEqual({
      ...{ texts: ['near', 'texts'], input_type: 'search_document', embedding_types: ['float'] },
    });
  });

  test.each(['bed/titan', 'bed/cohere'])(
    '%s: a response without vectors fails, token IDs are rejected',
    async (model) => {
      bedrock.upstream.answer(() => Response.json({ message: 'nothing here' }));
      expect((await embed(model, 'x')).status).toBe(502);
      const seen = bedrock.upstream.seen.length;
      const numbers = await embed(model, [[1, 2]]);
      expect([numbers.status, ((await numbers.json()) as Loose).error.param]).toEqual([400, 'input']);
      expect(bedrock.upstream.seen).toHaveLength(seen);
    },
  );
});

describe('official clients', () => {
  test('Anthropic’s client, with tool input in several pieces', async () => {
    const call = { toolUseId: 'tooluse_1', name: 'weather' };
    const piece = (input: string) =>
      eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input } } });
    bedrock.upstream.answer(
      () =>
        new Response(
          Buffer.concat([
            eventFrame('messageStart', { role: 'assistant' }),
            eventFrame('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: call } }),
            ...['{"city":', ' "Par', 'is"}'].map(piece),
            eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
            eventFrame('messageStop', { stopReason: 'tool_use' }),
            eventFrame('metadata', { usage: { ...novaUsage, cacheReadInputTokens: 6 }, metrics: {} }),
          ]),
          { headers },
        ),
    );
    const anthropic = new Anthropic({ apiKey: bedrock.relay.key, baseURL: bedrock.server.url.origin, maxRetries: 0 });
    const final = await anthropic.messages
      .stream({
        ...{ model: 'bed/nova', max_tokens: 50, messages: [{ role: 'user', content: 'Weather in Paris?' }] },
        tools: [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
      })
      .finalMessage();
    expect(final).toMatchObject({
      ...{ model: 'bed/nova', stop_reason: 'tool_use' },
      content: [{ type: 'tool_use', id: 'tooluse_1', name: 'weather', input: { city: 'Paris' } }],
      usage: { input_tokens: 10, cache_read_input_tokens: 6, output_tokens: 4 },
    });
  });

  test.each(ways)('OpenAI’s client, answered by %s', async (way) => {
    bedrock.upstream.answer(answers(way));
    const openai = new OpenAI({ apiKey: bedrock.relay.key, baseURL: `${bedrock.server.url}v1`, maxRetries: 0 });
    const stream = openai.chat.completions.stream({
      ...{ model: `bed/${way}`, messages: [{ role: 'user', content: 'hello' }] },
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: said } });
    expect(final.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 });
  });
});
