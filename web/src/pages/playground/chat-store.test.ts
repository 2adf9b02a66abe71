import { afterEach, expect, test } from 'bun:test';
import { packed } from './chat-content.ts';
import { ChatStore } from './chat-store.ts';
import type { AnswerEntry } from './conversation.ts';
import { defaultSettings } from './settings.ts';

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

const eventOf = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** An answer that streams this text and then ends as given. */
function answering(events: string[], end: (stream: ReadableStreamDefaultController) => void): void {
  const body = () =>
    new ReadableStream({
      start: (stream) => {
        for (const event of events) stream.enqueue(new TextEncoder().encode(event));
      },
      pull: end,
    });
  globalThis.fetch = (async () =>
    new Response(body(), { headers: { 'content-type': 'text/event-stream' } })) as unknown as typeof fetch;
}

const columns = [
  { id: 'c1', model: 'm1' },
  { id: 'c2', model: 'm2' },
];

/** The answers, once none of them is running. */
async function answersOf(store: ChatStore, act: () => void): Promise<AnswerEntry[]> {
  const over = Promise.withResolvers<void>();
  act();
  expect(store.shown().busy).toBe(true);
  const leave = store.subscribe(() => {
    if (!store.shown().busy) over.resolve();
  });
  await over.promise;
  leave();
  return store.state().entries.filter((entry) => entry.role === 'assistant');
}

test('an interrupted answer keeps its text, shows the error and can be regenerated', async () => {
  const endings: [(stream: ReadableStreamDefaultController) => void, string][] = [
    [(stream) => stream.error(new TypeError('network error')), 'The connection was lost during the answer.'],
    [(stream) => stream.close(), 'The answer ended before it was complete.'],
  ];
  for (const [end, message] of endings) {
    answering([eventOf('Down '), eventOf('to the')], end);
    const store = new ChatStore({ id: 'chat', columns, settings: defaultSettings, entries: [] });
    const answers = await answersOf(store, () => store.send('Go on', []));
    expect(answers.map(({ column }) => column)).toEqual(['c1', 'c2']);
    for (const answer of answers) {
      expect([answer.content, answer.state, answer.error?.message]).toEqual(['Down to the', 'failed', message]);
    }
    expect(packed(store.state()).entries[1]).toMatchObject({
      content: 'Down to the',
      state: 'failed',
      error: { message },
    });
    expect(store.behind).toBe(true);
    answering([eventOf('Down to the sea.', 'stop')], (stream) => stream.close());
    const again = await answersOf(store, () => store.regenerate(answers[1]!.id));
    expect(again.map(({ content, state }) => [content, state])).toEqual([
      ['Down to the', 'failed'],
      ['Down to the sea.', 'done'],
    ]);
    store.end();
  }
});
