import { expect, test } from 'bun:test';
import { holdTime, pass } from '../../lib/held-time.fixture.ts';
import { DirectAnswer } from './direct-answer.ts';

holdTime();

const call = { id: 1, method: 'tools/call', params: { name: 'slow' }, newest: false } as const;
const ping = ': ping\n\n';
const logged = { level: 'info', data: 'half of it' } as const;

/** An answer, and everything that its client has received so far. */
async function streamed(begin: (answer: DirectAnswer) => void) {
  const answer = new DirectAnswer(call, {
    whole: () => Response.error(),
    events: (stream) => new Response(stream),
  });
  begin(answer);
  const { body } = await answer.response;
  const received: string[] = [];
  const decoder = new TextDecoder();
  const reader = body!.getReader();
  const reading = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      received.push(decoder.decode(read.value));
  })();
  return { answer, received, reading, leave: () => reader.cancel() };
}

test('a call that takes long starts its response at once, and keeps the connection in use until the result', async () => {
  const { answer, received, reading } = await streamed((one) => one.lingers());
  await pass(50);
  // Without a first byte a client does not even receive the status.
  expect(received).toEqual([ping]);
  await pass(60_000, 5_000);
  expect(received).toEqual([ping, ping, ping, ping, ping]);
  answer.end({ content: [] });
  await reading;
  expect(received.at(-1)).toContain('"content":[]');
  await pass(60_000, 5_000);
  expect(received).toHaveLength(6);
});

test('a call that is quiet after a message keeps its connection in use as well', async () => {
  const { answer, received, leave } = await streamed((one) => one.log(logged));
  await pass(50);
  expect(received).toEqual([expect.stringContaining('half of it')]);
  answer.lingers();
  await pass(30_000, 5_000);
  expect(received.slice(1)).toEqual([ping, ping, ping]);
  await leave();
  await pass(60_000, 5_000);
  // Nothing is written for a client that has left, not even later messages.
  answer.end({ content: [] });
  expect(received).toHaveLength(4);
});

test('letters that end a line for some readers are escaped in events', async () => {
  const { answer, received, reading } = await streamed((one) => one.log({ level: 'info', data: 'a\u2028b' }));
  answer.end({ content: [{ type: 'text', text: 'c\u0085d' }] });
  await reading;
  const [message, result] = received.map((event) => JSON.parse(event.replace('event: message\ndata: ', '')));
  expect(message.params.data).toBe('a\u2028b');
  expect(result.result.content[0].text).toBe('c\u0085d');
  expect(received.join('')).not.toMatch(/[\u0085\u2028]/);
});
