import { describe, expect, test } from 'bun:test';
import { call, chat, chatEvents, type Loose } from '../demo-call.test-support.ts';
import { demoFetch } from '../demo-fetch.ts';
import { simulationNotice } from './respond.ts';

const said = async (content: string | Loose[], extra = {}): Promise<string> =>
  (await chat(content, extra)).choices[0].message.content.replace(simulationNotice, '').trim();

describe('chat answers', () => {
  test('have the format of a chat completion and begin with a simulation notice', async () => {
    const body = await chat('Hello!');
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'demo/chat',
      choices: [{ index: 0, finish_reason: 'stop' }],
    });
    expect(body.choices[0].message).toMatchObject({ role: 'assistant', refusal: null });
    expect(body.choices[0].message.content).toStartWith(simulationNotice);
    expect(simulationNotice).toMatch(/simulation.*add a real provider/is);
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens);
    const next = await chat([
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Hi' },
    ]);
    expect(next.choices[0].message.content).not.toContain(simulationNotice);
  });

  test.each([
    ['Reply with exactly: pong', 'pong'],
    ['Say "good night"', 'good night'],
    ['Please repeat: one two', 'one two'],
    ['Count from 3 to 7', '3, 4, 5, 6, 7'],
    ['', 'Your message has no text.'],
  ])('%p → %p', async (question, answer) => {
    expect(await said(question)).toBe(answer);
  });

  test('remember the conversation', async () => {
    const earlier = [
      { role: 'user', content: 'My name is Ada. The launch code word is heron.' },
      { role: 'assistant', content: 'ok' },
    ];
    expect(await said([...earlier, { role: 'user', content: 'What is my name?' }])).toContain('My name is Ada.');
    expect(await said([...earlier, { role: 'user', content: 'What did I say?' }])).toContain(
      '“My name is Ada. The launch code word is heron.”',
    );
    expect(await said([...earlier, { role: 'user', content: 'What is the launch code word?' }])).toContain('heron');
  });

  test('summarise by quoting and say that attachments were not read', async () => {
    const text =
      'The heron stood. The heron caught a fish. Rain fell on Oslo. The heron ate the fish and the heron flew. Cars passed by.';
    const short = await said(`Summarise: ${text}`);
    expect(short).toContain('The heron stood.');
    expect(short).not.toContain('Rain fell');
    const parts = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    expect(await said([{ role: 'user', content: parts }])).toContain('Attached: image');
  });

  test('depend only on messages and seed; n sets the number of choices', async () => {
    const ask = 'Tell me about the history of bridges';
    expect(await said(ask, { seed: 4 })).toBe(await said(ask, { seed: 4 }));
    const many = new Set<string>();
    for (let seed = 0; seed < 8; seed += 1) many.add(await said(ask, { seed }));
    expect(many.size).toBeGreaterThan(1);
    expect((await chat(ask, { n: 3 })).choices.map((choice: Loose) => choice.index)).toEqual([0, 1, 2]);
  });

  test('are longer from demo/chat-large', async () => {
    const ask = 'Tell me about the history of bridges in Europe';
    expect((await said(ask, { model: 'demo/chat-large' })).length).toBeGreaterThan((await said(ask)).length);
  });

  test('stop at max_tokens and at stop strings', async () => {
    const cut = await chat('Count to 50', { max_tokens: 7 });
    expect(cut.choices[0].finish_reason).toBe('length');
    expect(cut.usage.completion_tokens).toBe(7);
    const stopped = await chat('Count to 50', { stop: ['12', ' 20'] });
    expect(stopped.choices[0].finish_reason).toBe('stop');
    expect(stopped.choices[0].message.content).toEndWith('11, ');
  });
});

describe('chat streams', () => {
  test('contain the whole answer in chunks, then usage, then [DONE]', async () => {
    const messages = [{ role: 'user', content: 'Count to 9' }];
    const events = await chatEvents({ messages, stream_options: { include_usage: true } });
    expect(events.at(-1)).toBe('DONE');
    const usage = events.at(-2);
    expect(usage.choices).toEqual([]);
    expect(usage.usage.completion_tokens).toBeGreaterThan(5);
    const chunks = events.slice(0, -2);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks.every((chunk) => chunk.object === 'chat.completion.chunk' && chunk.usage === null)).toBe(true);
    expect(chunks[0].choices[0].delta.role).toBe('assistant');
    expect(chunks.at(-1).choices[0].finish_reason).toBe('stop');
    const text = chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join('');
    expect(text).toBe((await chat('Count to 9')).choices[0].message.content);
  });

  test('omit usage unless requested', async () => {
    const events = await chatEvents({ messages: [{ role: 'user', content: 'hi' }] });
    expect(events.some((event) => typeof event === 'object' && 'usage' in event)).toBe(false);
  });

  test('end when the client disconnects', async () => {
    const leaving = new AbortController();
    const body = { model: 'demo/chat', messages: [{ role: 'user', content: 'Count to 500' }] };
    const request = { path: '/chat/completions', body, stream: true, signal: leaving.signal };
    const reader = (await demoFetch(request, { paceMs: 5 })).body!.getReader();
    expect((await reader.read()).done).toBe(false);
    leaving.abort(new Error('gone'));
    const drain = async (): Promise<number> => {
      for (let count = 0; ; count += 1) if ((await reader.read()).done) return count;
    };
    await expect(drain()).rejects.toThrow('gone');
  });
});

describe('chat errors', () => {
  test.each([
    [{ model: 'demo/chat' }, 400, 'missing_required_parameter', 'messages'],
    [{ model: 'demo/chat', messages: [] }, 400, 'invalid_value', 'messages'],
    [
      { model: 'demo/chat', messages: [{ role: 'user', content: 'x' }], max_tokens: 0 },
      400,
      'invalid_value',
      'max_tokens',
    ],
    [{ model: 'demo/embed', messages: [{ role: 'user', content: 'x' }] }, 404, 'model_not_found', 'model'],
    [
      { model: 'demo/chat', messages: [{ role: 'user', content: 'word '.repeat(40_000) }] },
      400,
      'context_length_exceeded',
      'messages',
    ],
  ])('%#: returns an OpenAI error', async (request, status, code, param) => {
    const answer = await call('/chat/completions', request);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code, param });
    expect(answer.body.error.message).toBeString();
  });

  test('a long text without spaces is counted quickly', async () => {
    expect((await chat('x'.repeat(30_000))).usage.prompt_tokens).toBeGreaterThan(1000);
  }, 5000);

  // Each of these once took seconds or minutes in a pattern that looks back and forth.
  test.each(['\n#', '(', '-', '\n \n', '1+', '* '])(
    'a long text of %j is answered quickly',
    async (unit) => {
      const shape = 'JSON: {"facts": [{"quote": "…"}]} ';
      for (const opening of ['', 'write ', shape]) {
        const body = await chat(`${opening}${unit.repeat(9000)}x?`, { model: 'demo/chat-large' });
        expect(body.choices).toHaveLength(1);
      }
    },
    5000,
  );
});
