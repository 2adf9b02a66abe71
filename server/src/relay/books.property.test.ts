import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { answers, anyMade, anyUsage, type Wire } from './answers.fixture.ts';
import { type BooksTest, openBooksTest } from './books.fixture.ts';

/**
 * For every answer that reached the caller with anything in it there is exactly one usage row, at a cost that follows from
 * the price; whatever happened, the balance and the rows add up and no hold is left.
 */
setDefaultTimeout(600_000);
/** Engines differ in the last step only, and on PostgreSQL each case takes three times as long. */
const usual = process.env.SVC_TEST_ENGINE === 'postgres' ? 30 : 80;
const runs = Number(process.env.SVC_BOOKS_RUNS ?? (process.env.SVC_LONG ? 3_000 : usual));

let books: BooksTest;
beforeAll(async () => {
  books = await openBooksTest();
});
afterAll(() => books.close());

const wires: Wire[] = ['chat', 'messages', 'gemini'];
const clients = ['chat', 'messages', 'responses', 'background', 'gemini'] as const;
/** It is written from the same deltas as the others, and differs in its own events only. */
const runsOf = (client: (typeof clients)[number]): number =>
  ['responses', 'background'].includes(client) ? Math.ceil(runs / 8) : runs;

for (const wire of wires) {
  for (const client of clients) {
    // What runs in the background is always asked for as a stream.
    if (client !== 'background')
      test(`${wire} upstream, ${client} client: whole answers are billed correctly, also where a stream was asked for`, async () => {
        await fc.assert(
          fc.asyncProperty(anyMade, anyUsage(wire), cutOf(0.15), fc.boolean(), async (made, usage, cut, stream) => {
            const text = JSON.stringify(answers[wire].whole({ made, usage }));
            await books.hold({
              wire,
              client,
              stream,
              text: text.slice(0, Math.ceil(text.length * cut.at)),
              cut,
            });
          }),
          { numRuns: runsOf(client) },
        );
      });

    test(`${wire} upstream, ${client} client: streams are billed correctly when cut off or abandoned`, async () => {
      const leaves = fc.oneof({ weight: 4, arbitrary: fc.constant(Number.POSITIVE_INFINITY) }, fc.nat({ max: 4 }));
      await fc.assert(
        fc.asyncProperty(anyMade, anyUsage(wire), cutOf(0.5), leaves, async (made, usage, cut, leaveAfter) => {
          const text = answers[wire].stream({ made, usage });
          const given = text.slice(0, Math.ceil(text.length * cut.at));
          await books.hold({ wire, client, stream: true, text: given, cut, leaveAfter });
        }),
        { numRuns: runsOf(client) },
      );
    });
  }
}

test('an invalid JSON frame that is forwarded without parsing is billed correctly', async () => {
  const good = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"mark1"},"finish_reason":null}]}\n\n';
  const bad = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"mark2\\q\\u12"},"finish_reason":null}]}\n\n';
  const end = 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const cut = { at: 1, breaks: false };
  for (const text of [good + good + bad + end, good + good + bad.repeat(2_000) + end, good + good + bad])
    await books.hold({ wire: 'chat', client: 'chat', stream: true, text, cut });
});

afterAll(() => {
  console.log(`books: ${books.held} answers; ${books.charged} charged, ${books.free} without output or failed`);
  expect(books.charged).toBeGreaterThan(0);
  expect(books.free).toBeGreaterThan(0);
});

/** Where the answer ends before its time, and whether the connection breaks there or closes as if all were said. */
function cutOf(share: number): fc.Arbitrary<{ at: number; breaks: boolean }> {
  const early = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), breaks: fc.boolean() });
  return fc.oneof(
    { weight: Math.round((1 - share) * 100), arbitrary: fc.constant({ at: 1, breaks: false }) },
    { weight: Math.round(share * 100), arbitrary: early },
  );
}
