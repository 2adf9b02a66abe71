import { afterAll, expect, test } from 'bun:test';
import { inlineImages } from './inline-images.ts';
import type { ProviderKind } from './providers/kind.ts';
import { openaiKind } from './providers/openai.ts';
import { parseChatRequest } from './wire/chat/request.ts';
import type { Conversation } from './wire/conversation.ts';
import { parseMessagesRequest } from './wire/messages/request.ts';

const mebibyte = 1024 * 1024;
const head = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');

/** `/9-a` is a picture of nine mebibytes, and another than `/9-b`. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => {
    const size = Math.max(head.length, Number(/\/(\d+)-/.exec(url)![1]) * mebibyte);
    const body = Buffer.alloc(size);
    head.copy(body);
    return new Response(body);
  },
});
afterAll(() => server.stop(true));

// What is asked of a kind here, and nothing else of it.
const kind = { wantsImageData: true, wire: 'messages' } as unknown as ProviderKind;
const { signal } = new AbortController();

function asking(names: string[]): Conversation {
  const content = names.map((name) => ({
    ...{ type: 'image', source: { type: 'url', url: `http://127.0.0.1:${server.port}/${name}` } },
  }));
  return parseMessagesRequest({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content }] });
}
const many = (count: number, size: number): string[] => Array.from({ length: count }, (_, n) => `${size}-${n}`);

const cases: [what: string, names: string[], inlined: number][] = [
  ['one', ['9-a'], 1],
  ['the same twice', ['9-a', '9-a'], 2],
  ['the same three times exceeds the limit', ['9-a', '9-a', '9-a'], 0],
  ['the third exceeds the limit', ['9-a', '9-b', '9-c'], 2],
  ['a small one after a large one that exceeds the limit', ['9-a', '9-b', '9-c', '9-d', '0-e'], 3],
  ['the same many times', Array(5_000).fill('9-a'), 0],
  ['too many', many(25, 0), 20],
];

test.each(cases)('images become inline data within the limits of a request: %s', async (_, names, inlined) => {
  const { turns, source } = await inlineImages(kind, asking(names), true, { signal });
  const isData = turns.flatMap(({ parts }) => parts).map((part) => part.type === 'image' && 'data' in part.source);
  expect([isData.length, isData.filter(Boolean).length]).toEqual([names.length, inlined]);
  // And so in the body that may go as it came.
  expect(JSON.stringify(source!.body).split('"base64"').length - 1).toBe(inlined);
});

const pictured = (url: unknown) => ({ type: 'image_url', image_url: url });
const shown = (path: string) => `http://127.0.0.1:${server.port}/${path}`;

test.each([
  ['ollama', true],
  ['moonshot', true],
  ['openai', false],
])('images in a chat become inline data for %s: %p', async (provider, wanted) => {
  const content = [
    pictured({ url: shown('0-a'), detail: 'low' }),
    pictured(shown('0-b')),
    { type: 'text', text: 'Hi' },
  ];
  const chat = parseChatRequest({ model: 'm', messages: [{ role: 'user', content }] });
  const target = { baseUrl: '', credential: '', modelName: 'm', provider };
  const given = await inlineImages(openaiKind, chat, true, { signal }, target);
  const { messages } = JSON.parse(openaiKind.toUpstream(given, target).body as string);
  const data = { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) };
  const asData = [pictured({ ...data, detail: 'low' }), pictured(data), content[2]];
  expect(messages[0].content).toEqual(wanted ? asData : content);
});
