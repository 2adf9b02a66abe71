import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { loadTokens } from '../lib/tokens.ts';
import { countMost } from './endpoints/count-texts.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { promptOf } from './prompt.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

/** Units a token, in and out, of the models here: one million tokens for 2 USD are one token for one unit. */
const price = { prompt_price: 2, completion_price: 2 };
const rich = 10_000_000;
const chat = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'hi' }];

let relay: RelayTest;
let upstream: ScriptedUpstream;
/** What the balance was while the upstream worked. */
let during = 0;
/** Tokens that the upstream says it took and made. */
interface Used {
  prompt: number;
  completion: number;
}
let used: (body: Loose) => Used | Promise<Used>;

const chatAnswer = async (body: Loose): Promise<Response> => {
  const { prompt, completion } = await used(body);
  const message = { role: 'assistant', content: 'word '.repeat(Math.min(completion, 20_000)) };
  return Response.json({
    id: 'c',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });
};
const messagesAnswer = async (body: Loose): Promise<Response> => {
  const { prompt, completion } = await used(body);
  return Response.json({
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'word '.repeat(Math.min(completion, 20_000)) }],
    stop_reason: 'end_turn',
    usage: { input_tokens: prompt, output_tokens: completion },
  });
};
const geminiAnswer = async (body: Loose): Promise<Response> => {
  const { prompt, completion } = await used(body);
  return Response.json({
    candidates: [
      { content: { parts: [{ text: 'word '.repeat(Math.min(completion, 20_000)) }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: completion },
  });
};

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(async ({ path, body }) => {
    during = (await relay.money()).quota;
    if (path.includes('enerateContent')) return geminiAnswer(body);
    return path.endsWith('/messages') ? messagesAnswer(body) : chatAnswer(body);
  });
  await addUpstream(relay.test, upstream.url, [
    { model_id: 'paid/open', ...price },
    { model_id: 'paid/bounded', ...price, max_output_tokens: 2_000 } as Loose,
    { model_id: 'paid/long', ...price, context_length: 1_000_000 },
    { model_id: 'paid/qwen3-235b-a22b-thinking', ...price },
  ]);
  const claudes = [
    { model_id: 'paid/claude', model_name: 'claude-x', ...price },
    { model_id: 'paid/long-claude', model_name: 'claude-x', ...price, context_length: 1_000_000 },
  ];
  await addUpstream(relay.test, upstream.url, claudes, { kind: 'anthropic', name: 'messages' });
  await addUpstream(relay.test, upstream.url, [{ model_id: 'paid/film', ...price, context_length: 1_000_000 }], {
    ...{ kind: 'gemini', name: 'films' },
  });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});
beforeEach(() => {
  used = () => ({ prompt: 10, completion: 1 });
});
afterEach(() => setBalance(0));

async function setBalance(quota: number): Promise<void> {
  await relay.credit(quota - (await relay.money()).quota).catch(() => {});
  expect((await relay.money()).quota).toBe(quota);
}

/** Sends one request and says what was put aside for it, what it cost, and what the upstream was asked. */
async function ask(path: string, body: Loose): Promise<{ status: number; held: number; cost: number; sent: Loose }> {
  await setBalance(rich);
  const answer = await relay.post(path, body);
  await answer.text();
  const after = (await relay.money()).quota;
  return { status: answer.status, held: rich - during, cost: rich - after, sent: upstream.seen.at(-1)?.body };
}

/** Every name under which some server takes a limit for its output. */
const limitNames = /^(max_(completion_|output_|new_)?tokens(_to_sample)?|n_predict|num_predict|maxOutputTokens)$/;
const limitsIn = (value: Loose): number[] =>
  Object.entries(value ?? {}).flatMap(([name, inner]) =>
    limitNames.test(name) ? [inner as number] : typeof inner === 'object' ? limitsIn(inner) : [],
  );

describe('the output limit of the hold is the one sent upstream', () => {
  const table: [string, string, Loose, number][] = [
    ['the smaller of two', 'paid/open', { max_completion_tokens: 1, max_tokens: 100_000 }, 1],
    ['the smaller of two, reversed', 'paid/open', { max_completion_tokens: 100_000, max_tokens: 3 }, 3],
    ['other names of the limit', 'paid/open', { max_tokens: 5, max_output_tokens: 90_000, max_new_tokens: 90_000 }, 5],
    ['only another name of the limit', 'paid/open', { n_predict: 70 }, 70],
    ['no limit, model without maximum', 'paid/open', {}, 4_096],
    ['null', 'paid/open', { max_tokens: null }, 4_096],
    ['per choice with several choices', 'paid/open', { n: 3, max_tokens: 50 }, 50],
    ['translated', 'paid/claude', { max_completion_tokens: 1, max_tokens: 100_000 }, 1],
    ['translated, no limit', 'paid/claude', {}, 4_096],
  ];
  for (const [name, model, params, limit] of table) {
    test(name, async () => {
      used = (body) => ({ prompt: 10, completion: Math.max(...limitsIn(body), 0) * (body.n ?? 1) });
      const { status, held, cost, sent } = await ask(chat, { model, messages: hi, ...params });
      expect([status, limitsIn(sent)]).toEqual([200, [limit]]);
      expect(cost).toBeLessThanOrEqual(held);
      expect(cost).toBe(10 + limit * (params.n ?? 1));
    });
  }

  test('reasoning tokens outside the output limit are held for and charged', async () => {
    const table: [model: string, params: Loose][] = [
      ['paid/open', { enable_thinking: true }],
      ['paid/open', { enable_thinking: true, thinking_budget: 30_000 }],
      ['paid/qwen3-235b-a22b-thinking', {}],
      ['paid/qwen3-235b-a22b-thinking', { thinking_budget: 30_000 }],
      ['paid/qwen3-235b-a22b-thinking', { prediction: { type: 'content', content: 'a' } }],
    ];
    used = () => ({ prompt: 10, completion: 30_000 });
    for (const [model, params] of table) {
      const { held, cost } = await ask(chat, { model, messages: hi, max_tokens: 5, ...params });
      expect([model, params, cost]).toEqual([model, params, 30_010]);
      expect(held).toBeGreaterThanOrEqual(cost);
    }
    const { cost } = await ask(chat, { model: 'paid/open', messages: hi, max_tokens: 5, enable_thinking: false });
    expect(cost).toBeLessThan(30);
  });

  test('a model’s own maximum is held but not sent', async () => {
    const { held, sent } = await ask(chat, { model: 'paid/bounded', messages: hi });
    expect(limitsIn(sent)).toEqual([]);
    expect(held).toBeGreaterThanOrEqual(2_000);
  });

  test('applies to messages, native and translated', async () => {
    for (const model of ['paid/claude', 'paid/open']) {
      const { held, sent } = await ask('/v1/messages', { model, messages: hi, max_tokens: 9, max_new_tokens: 5_000 });
      expect(limitsIn(sent)).toEqual([9]);
      expect(held).toBeLessThan(1_000);
    }
  });

  test('a rejected prediction is held as output', async () => {
    const content = 'alpha beta '.repeat(500);
    const { held } = await ask(chat, {
      model: 'paid/open',
      messages: hi,
      max_tokens: 1,
      prediction: { type: 'content', content },
    });
    expect(held).toBeGreaterThanOrEqual(2 * (await (await loadTokens()).count(content)));
  });
});

describe('everything that is sent is counted', () => {
  const long = Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(' ');
  const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
  const user = (...content: Loose[]) => ({ messages: [{ role: 'user', content }] });
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(2_000)}` } };
  const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(2_000) } };
  const pdf = { type: 'base64', media_type: 'application/pdf', data: base64(60_000) };
  const tool = (parameters: Loose, fields: Loose = {}) => [
    { type: 'function', function: { name: 'f', parameters, ...fields } },
  ];
  const schema = { type: 'object', properties: { a: { type: 'string', description: long } } };
  const words = 6_000;

  /** Path, body, and the tokens of its prompt that a vendor would bill at least. */
  const table: [string, string, Loose, number][] = [
    ['text', chat, { messages: [{ role: 'user', content: long }] }, words],
    ['a file', chat, user({ type: 'file', file: { file_data: `data:application/pdf;base64,${pdf.data}` } }), 15_000],
    ['a text file', chat, user({ type: 'file', file: { file_data: `data:text/plain;base64,${btoa(long)}` } }), words],
    ['a file by id', chat, user({ type: 'file', file: { file_id: 'file-1' } }), 25_000],
    ['sound', chat, user({ type: 'input_audio', input_audio: { data: base64(960_000), format: 'mp3' } }), 1_920],
    ['a video', chat, user({ type: 'video_url', video_url: { url: 'https://films.example/1.mp4' } }), 25_000],
    ['an unknown part', chat, user({ type: 'novelty', novelty: { text: long } }), words],
    ['an image', chat, user(picture), 1_600],
    ['twenty images', chat, user(...Array(20).fill(picture)), 32_000],
    ['a tool’s description', chat, { messages: hi, tools: tool({}, { description: long }) }, words],
    ['a tool’s schema', chat, { messages: hi, tools: tool(schema) }, words],
    [
      'a custom tool',
      chat,
      { messages: hi, tools: [{ type: 'custom', custom: { name: 'c', description: long } }] },
      words,
    ],
    [
      'the response schema',
      chat,
      { messages: hi, response_format: { type: 'json_schema', json_schema: { name: 's', schema } } },
      words,
    ],
    ['legacy functions', chat, { messages: hi, functions: [{ name: 'f', description: long }] }, words],
    ['an unknown field', chat, { messages: hi, documents: [{ text: long }] }, words],
    ['a message’s own field', chat, { messages: [{ role: 'user', content: 'hi', context: long }] }, words],
    [
      'a tool result',
      chat,
      { messages: [...hi, { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: long }, picture] }] },
      words + 1_600,
    ],
    ['messages: system', '/v1/messages', { messages: hi, system: [{ type: 'text', text: long }] }, words],
    ['messages: a document', '/v1/messages', user({ type: 'document', source: pdf }), 15_000],
    [
      'messages: a tool result with an image',
      '/v1/messages',
      user({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: long }, block] }),
      words + 1_600,
    ],
    [
      'messages: search results',
      '/v1/messages',
      user({ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: long }] }),
      words,
    ],
    [
      'messages: a vendor tool',
      '/v1/messages',
      { messages: hi, tools: [{ type: 'memory_20250818', name: 'memory', notes: long }] },
      words,
    ],
  ];
  for (const [name, path, body, atLeast] of table) {
    test(name, async () => {
      used = () => ({ prompt: atLeast, completion: 10 });
      const model = path === chat ? 'paid/open' : 'paid/claude';
      const { status, held, cost } = await ask(path, { model, max_tokens: 10, ...body });
      expect(status).toBe(200);
      expect(held).toBeGreaterThanOrEqual(atLeast + 10);
      // Reported by the upstream, plausible for what was sent, and so what is charged.
      expect(cost).toBe(atLeast + 10);
    });
  }
});

describe('input that only the vendor can measure is covered by the hold and charged in full', () => {
  const film = { fileUri: 'https://films.example/watch?v=1' };
  const clip = { inlineData: { mimeType: 'video/mp4', data: 'AAAA' }, videoMetadata: { fps: 24 } };
  const google = '/v1beta/models/paid/film:generateContent';
  const contents = (part: Loose) => ({
    contents: [{ parts: [{ text: 'hi' }, part] }],
    generationConfig: { maxOutputTokens: 10 },
  });
  const user = (...content: Loose[]) => ({ max_tokens: 10, messages: [{ role: 'user', content }] });
  const paper = 'https://papers.example/1.pdf';
  const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
  const pdf = { type: 'base64', media_type: 'application/pdf', data: base64(20_000) };
  const file = { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf.data}` } };
  const sound = { type: 'input_audio', input_audio: { data: base64(1_000_000), format: 'mp3' } };
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(2_000)}` } };
  /** Tokens that the vendor counts, and that are held for; the model reads a million at once. */
  const table: [string, string, Loose, number, number][] = [
    ['a film', chat, user({ type: 'video_url', video_url: { url: 'https://films.example/1.mp4' } }), 900_000, 900_000],
    ['a film of Google’s', google, contents({ fileData: film }), 900_000, 900_000],
    ['many pictures of a short film', google, contents(clip), 900_000, 900_000],
    // Vendors read no more pages than that as a rule, and what they do read is charged.
    ['a file by its id', chat, user({ type: 'file', file: { file_id: 'file-1' } }), 280_000, 280_000],
    ['a long file by its id', chat, user({ type: 'file', file: { file_id: 'file-1' } }), 900_000, 300_000],
    // Pages and seconds can be few bytes each.
    ['a small file of many pages', chat, user(file), 160_000, 160_000],
    ['a document of many pages', '/v1/messages', user({ type: 'document', source: pdf }), 160_000, 160_000],
    ['sound at a low rate', chat, user(sound), 32_000, 10_000],
    ['a picture in all detail', chat, user(picture), 10_000, 6_400],
    [
      'a document by its address',
      '/v1/messages',
      user({ type: 'document', source: { type: 'url', url: paper } }),
      280_000,
      280_000,
    ],
  ];
  for (const [name, path, body, prompt, atLeast] of table)
    test(name, async () => {
      used = () => ({ prompt, completion: 10 });
      const model = path === chat ? 'paid/long' : 'paid/long-claude';
      const { status, held, cost } = await ask(path, { ...(path !== google && { model }), ...body });
      expect(status).toBe(200);
      expect(held).toBeGreaterThanOrEqual(atLeast);
      expect(cost).toBe(prompt + 10);
    });

  test('usage beyond the context window is not accepted', async () => {
    used = () => ({ prompt: 2_000_000, completion: 10 });
    const { cost } = await ask(google, contents({ fileData: film }));
    expect(cost).toBeLessThan(900_000);
  });

  test('no request starts when the balance does not cover the hold', async () => {
    await setBalance(200_000);
    const seen = upstream.seen.length;
    expect((await relay.post(google, contents({ fileData: film }))).status).toBe(403);
    expect(upstream.seen.length).toBe(seen);
  });
});

test('while tokens cannot be counted, each byte is held as one token', async () => {
  const { countEach } = await loadTokens();
  const text = '~^|`{@#%&*<>'.repeat(1_000);
  const turns = [{ role: 'user' as const, parts: [{ type: 'text' as const, text }] }];
  const prompt = promptOf({ model: 'm', system: [], turns, params: {}, stream: false, includeUsage: false });
  const exact = await countMost([text]);
  // Others keep the thread busy: their texts are all that may wait.
  const busy = Array.from({ length: 18 }, () => countEach(['word '.repeat(200_000)]));
  expect(await prompt.countMost()).toBeGreaterThanOrEqual(text.length);
  expect(await countMost([text])).toBeGreaterThanOrEqual(text.length);
  await Promise.all(busy);
  expect(await countMost([text])).toBe(exact);
});

describe('concurrent requests on a balance for one', () => {
  const together = (body: Loose) =>
    Promise.all(
      Array.from({ length: 80 }, async () => {
        const answer = await relay.post(chat, body);
        await answer.text();
        return answer.status;
      }),
    );
  const dense = Array.from({ length: 8_000 }, (_, i) => '~^|`{@#%&*<>'[(i * 7919) % 12]).join('');
  const table: [string, Loose][] = [
    ['words', { messages: [{ role: 'user', content: 'good morning '.repeat(400) }], max_tokens: 100 }],
    ['text with one token per character', { messages: [{ role: 'user', content: dense }], max_tokens: 1 }],
    ['two limits', { messages: hi, max_completion_tokens: 1, max_tokens: 2_000 }],
    ['no limit', { messages: hi }],
  ];
  for (const [name, body] of table) {
    test(name, async () => {
      const { countEach } = await loadTokens();
      let spent = 0;
      used = async (sent) => {
        const counts = await countEach(sent.messages.map(({ content }: Loose) => content));
        const prompt = counts.reduce((sum, tokens) => sum + tokens + 4, 3);
        const completion = Math.max(...limitsIn(sent), 0) || 16_000;
        spent += prompt + completion;
        return { prompt, completion };
      };
      const one = await ask(chat, { model: 'paid/open', ...body });
      spent = 0;
      const balance = Math.ceil(one.cost * 1.3) + 100;
      await setBalance(balance);
      const statuses = await together({ model: 'paid/open', ...body });
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
      expect(statuses.every((status) => status === 200 || status === 403)).toBe(true);
      const { quota } = await relay.money();
      expect(quota).toBeGreaterThanOrEqual(0);
      expect(spent).toBeLessThanOrEqual(balance);
      expect(balance - quota).toBe(spent);
    }, 300_000);
  }
});
