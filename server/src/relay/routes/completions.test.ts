import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { AzureOpenAI } from 'openai';
import { until } from '../../lib/until.fixture.ts';
import { openRelayTest, type RelayTest, sdkOptions } from '../endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

let relay: RelayTest;
let client: OpenAI;
let azure: AzureOpenAI;
let upstream: ScriptedUpstream;
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const event = (json: unknown) => `data: ${JSON.stringify(json)}\n\n`;

/** An upstream that answers each format with what it was asked last. */
const answerOf = (path: string, body: Loose): Response => {
  if (path.endsWith('/completions') && !path.includes('chat')) {
    const choices = [body.prompt].flat().map((text, index) => ({ text: `<${text}>`, index, finish_reason: 'stop' }));
    const head = { id: 'cmpl-up', object: 'text_completion', created: 1, model: 'up' };
    if (!body.stream) return Response.json({ ...head, choices, usage });
    return new Response(`${event({ ...head, choices })}${event({ ...head, choices: [], usage })}data: [DONE]\n\n`);
  }
  if (path.endsWith('/messages')) {
    const content = [{ type: 'text', text: 'from messages' }];
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'up', content, stop_reason: 'max_tokens' };
    return Response.json({ ...message, usage: { input_tokens: 7, output_tokens: 3 } });
  }
  const said = `re: ${body.messages.at(-1).content}`;
  const logprobs = body.logprobs
    ? { content: [{ token: 're', logprob: -0.5, top_logprobs: [{ token: 're', logprob: -0.5 }] }] }
    : null;
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => index);
  const head = { id: 'chatcmpl-up', created: 1, model: 'up' };
  if (!body.stream)
    return Response.json({
      ...head,
      object: 'chat.completion',
      choices: choices.map((index) => ({
        index,
        logprobs,
        message: { role: 'assistant', content: said },
        finish_reason: 'stop',
      })),
      usage,
    });
  const chunk = (index: number, delta: unknown, finish_reason: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason }] });
  const pieces = choices.flatMap((index) => [
    chunk(index, { role: 'assistant', content: '' }),
    chunk(index, { reasoning_content: 'hm' }),
    ...[...said].map((content) => chunk(index, { content })),
    chunk(index, {}, 'length'),
  ]);
  return new Response(`${pieces.join('')}${event({ ...head, choices: [], usage })}data: [DONE]\n\n`);
};

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(1_000_000_000);
  upstream = scriptedUpstream(({ path, body }) => answerOf(path, body));
  const price = { prompt_price: 1, completion_price: 1 };
  await addUpstream(relay.test, upstream.url, [
    { model_id: 'c/talk', ...price },
    { model_id: 'c/text', ...price, ...{ capabilities: { completions: true } } },
  ]);
  await addUpstream(relay.test, upstream.url, [{ model_id: 'c/messages', ...price }], { kind: 'anthropic' });
  const { baseUrl } = relay.test.config;
  client = new OpenAI({ ...sdkOptions(relay), baseURL: `${baseUrl}/v1` });
  azure = new AzureOpenAI({
    ...sdkOptions(relay),
    endpoint: baseUrl,
    apiVersion: '2024-10-21',
  });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const lastAsked = () => upstream.seen.at(-1)! as { path: string; body: Loose };
const rows = async () => (await relay.usage()).filter(({ endpoint }) => endpoint === '/v1/completions');

/** What this does leaves so many rows, and no more. */
async function leaves<T>(count: number, work: () => Promise<T>): Promise<T> {
  const before = (await rows()).length;
  const done = await work();
  await until('the request is in the usage log', async () => (await rows()).length >= before + count);
  expect((await rows()).length).toBe(before + count);
  return done;
}

describe('text completions over chat', () => {
  test('a prompt becomes a message, and the answer a text', async () => {
    const made = await leaves(1, () =>
      client.completions.create({ model: 'c/talk', prompt: 'tea', stop: ['\n'], max_tokens: 9, user: 'u' }),
    );
    expect(made).toMatchObject({ object: 'text_completion', model: 'c/talk', usage });
    expect(made.id).toStartWith('cmpl-');
    expect(made.choices).toEqual([{ text: 're: tea', index: 0, logprobs: null, finish_reason: 'stop' }]);
    expect(lastAsked().path).toBe('/v1/chat/completions');
    expect(lastAsked().body).toEqual({
      model: 'c/talk',
      messages: [{ role: 'user', content: 'tea' }],
      stop: ['\n'],
      max_completion_tokens: 9,
      user: 'u',
    });
  });

  test('streamed, with thinking, several choices, echo and usage', async () => {
    const texts = ['', ''];
    const thoughts: unknown[] = [];
    const ends: unknown[] = [];
    const last = await leaves(1, async () => {
      const stream = await client.completions.create({
        ...{ model: 'c/talk', prompt: 'tea', n: 2, echo: true, stream: true },
        stream_options: { include_usage: true },
      });
      let counted: unknown;
      for await (const chunk of stream) {
        expect(chunk).toMatchObject({ object: 'text_completion', model: 'c/talk' });
        for (const choice of chunk.choices) {
          expect(choice).not.toHaveProperty('delta');
          texts[choice.index] += choice.text;
          thoughts.push(...((choice as Loose).reasoning ? [(choice as Loose).reasoning] : []));
          if (choice.finish_reason) ends.push(choice.finish_reason);
        }
        counted = chunk.usage ?? counted;
      }
      return counted;
    });
    expect(texts).toEqual(['teare: tea', 'teare: tea']);
    expect(thoughts).toEqual(['hm', 'hm']);
    expect(ends).toEqual(['length', 'length']);
    expect(last).toMatchObject(usage);
  });

  test('the stream ends like OpenAI’s and has usage only on request', async () => {
    const answer = await relay.post('/v1/completions', { model: 'c/talk', prompt: 'tea', stream: true });
    const text = await answer.text();
    expect(text).toEndWith('data: [DONE]\n\n');
    expect(text).not.toContain('"usage"');
    expect(text).not.toContain('chat.completion');
    expect((await relay.usageOf(answer)).status).toBe('ok');
  });

  test('several prompts: choices in order, one usage entry', async () => {
    const prompt = ['one', 'two', 'three'];
    const made = await leaves(1, () => client.completions.create({ model: 'c/talk', prompt, n: 2, echo: true }));
    expect(made.choices.map(({ text, index }) => [index, text])).toEqual(
      prompt.flatMap((text, i) => [0, 1].map((j) => [i * 2 + j, `${text}re: ${text}`])),
    );
    expect(made.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 });
    expect((await rows())[0]).toMatchObject({ prompt_tokens: 21, completion_tokens: 9 });
    const streamed = await leaves(1, async () => {
      const options = { include_usage: true };
      const stream = await client.completions.create({
        model: 'c/talk',
        prompt,
        stream: true,
        stream_options: options,
      });
      return Array.fromAsync(stream);
    });
    expect(streamed.flatMap(({ choices }) => choices.map(({ text }) => text))).toEqual([
      're: one',
      're: two',
      're: three',
    ]);
    expect(streamed.at(-1)!.usage).toMatchObject({ total_tokens: 30 });
  });

  test('if one of several prompts fails, nothing is logged or charged', async () => {
    const { quota } = await relay.money();
    upstream.answer(({ path, body }) =>
      (body as Loose).messages[0].content === 'two' ? Response.json({}, { status: 500 }) : answerOf(path, body),
    );
    const failed = await leaves(0, () =>
      client.completions.create({ model: 'c/talk', prompt: ['one', 'two'] }).catch((error: unknown) => error),
    );
    upstream.answer(({ path, body }) => answerOf(path, body));
    expect(failed).toMatchObject({ status: 502 });
    await until('the hold is given back', async () => (await relay.money()).quota === quota);
  });

  test('completed prompts are charged when another prompt of the request fails', async () => {
    const faults = [{ code: 'context_length_exceeded' }, { message: 'No.' }];
    for (const error of faults) {
      const { quota } = await relay.money();
      upstream.answer(({ path, body }) =>
        (body as Loose).messages[0].content === 'last'
          ? Response.json({ error }, { status: 400 })
          : answerOf(path, body),
      );
      const prompt = ['one', 'two', 'three', 'four', 'five', 'last'];
      const failed = await leaves(1, () =>
        client.completions.create({ model: 'c/talk', prompt }).catch((fault: unknown) => fault),
      );
      upstream.answer(({ path, body }) => answerOf(path, body));
      expect(failed).toMatchObject({ status: 400 });
      const [row] = await rows();
      expect(row).toMatchObject({ prompt_tokens: 35, completion_tokens: 15, status: 'error' });
      await until('it is paid', async () => (await relay.money()).quota === quota - row!.quota);
    }
  });

  test('logprobs are returned in the legacy format', async () => {
    const made = await client.completions.create({ model: 'c/talk', prompt: 'tea', logprobs: 1 });
    expect(lastAsked().body).toMatchObject({ logprobs: true, top_logprobs: 1 });
    expect(made.choices[0]!.logprobs).toEqual({
      tokens: ['re'],
      token_logprobs: [-0.5],
      top_logprobs: [{ re: -0.5 }],
      text_offset: [0],
    });
  });

  test('a suffix becomes an instruction', async () => {
    await client.completions.create({ model: 'c/talk', prompt: 'a(', suffix: ')' });
    const [system, user] = lastAsked().body.messages;
    expect(system).toMatchObject({ role: 'system', content: expect.stringContaining('gap') });
    expect(user).toEqual({ role: 'user', content: 'a(<|gap|>)' });
  });

  test('works on a channel of another format', async () => {
    const made = await leaves(1, () => client.completions.create({ model: 'c/messages', prompt: ['tea'] }));
    expect(made.choices).toEqual([{ text: 'from messages', index: 0, logprobs: null, finish_reason: 'length' }]);
    expect(made.usage).toMatchObject(usage);
  });

  test('Azure’s client, which names the model in the path', async () => {
    const made = await azure.completions.create({ model: 'c/talk', prompt: 'tea' });
    expect(made.choices[0]!.text).toBe('re: tea');
  });

  test('the orchestration model, whole and streamed', async () => {
    const ask = { model: 'svc/svc-ms', prompt: 'Reply with exactly: 84' };
    const made = await client.completions.create(ask);
    expect(made).toMatchObject({ object: 'text_completion', model: 'svc/svc-ms' });
    expect(made.choices[0]!.text).toContain('84');
    let text = '';
    for await (const chunk of await client.completions.create({ ...ask, stream: true }))
      text += chunk.choices[0]?.text ?? '';
    expect(text).toContain('84');
    const two = client.completions.create({ ...ask, prompt: ['a', 'b'] });
    expect(await two.catch((error) => error)).toMatchObject({ status: 400, param: 'prompt' });
  });
});

describe('a model with native completions', () => {
  test('gets the request unchanged', async () => {
    const asked = { prompt: ['a', 'b'], echo: true, best_of: 3, logprobs: 2, suffix: '!' };
    const made = await leaves(1, () => client.completions.create({ model: 'c/text', ...asked }));
    expect(lastAsked().path).toBe('/v1/completions');
    expect(lastAsked().body).toMatchObject(asked);
    expect(made.choices).toMatchObject([{ text: '<a>' }, { text: '<b>' }]);
    expect(made).toMatchObject({ model: 'c/text', usage });
  });

  test('can be streamed', async () => {
    const stream = await client.completions.create({ model: 'c/text', prompt: 'a', echo: true, stream: true });
    const chunks = await leaves(1, () => Array.fromAsync(stream));
    expect(chunks.map(({ choices, model }) => [model, choices[0]!.text])).toEqual([['c/text', '<a>']]);
  });
});

describe('unsupported or invalid parameters are rejected by name', () => {
  test.each([
    [{}, 'prompt', 'missing_required_parameter'],
    [{ prompt: '' }, 'prompt', 'invalid_value'],
    [{ prompt: [] }, 'prompt', 'invalid_value'],
    [{ prompt: [''] }, 'prompt', 'invalid_value'],
    [{ prompt: { text: 'x' } }, 'prompt', 'invalid_value'],
    [{ prompt: Array.from({ length: 33 }, () => 'x') }, 'prompt', 'invalid_value'],
    [{ prompt: [1, 2] }, 'prompt', 'unsupported_parameter'],
    [{ prompt: [[1], [2]] }, 'prompt', 'unsupported_parameter'],
    [{ prompt: 'x', echo: 'yes' }, 'echo', 'invalid_value'],
    [{ prompt: 'x', n: 3, best_of: 2 }, 'best_of', 'invalid_value'],
    [{ prompt: 'x', best_of: 2 }, 'best_of', 'unsupported_parameter'],
    [{ prompt: ['x', 'y'], best_of: 2 }, 'best_of', 'unsupported_parameter'],
    [{ prompt: 'x', echo: true, logprobs: 1 }, 'echo', 'unsupported_parameter'],
    [{ prompt: 'x', logprobs: 9 }, 'logprobs', 'invalid_value'],
    [{ prompt: 'x', suffix: 1 }, 'suffix', 'invalid_value'],
    [{ prompt: 'x', tools: [] }, 'tools', 'unsupported_parameter'],
    [{ prompt: 'x', temperature: 9 }, 'temperature', 'invalid_value'],
  ])('%j', async (fields, param, code) => {
    const answer = await relay.post('/v1/completions', { model: 'c/talk', ...fields });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param, code } });
  });
});
