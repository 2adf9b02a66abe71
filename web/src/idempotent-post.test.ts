import { expect, test } from 'bun:test';
import { ApiError } from './api.ts';
import { onceUntilAnswered } from './idempotent-post.ts';

/** Answers when told, and keeps what it was sent. */
function line() {
  const sent: { what: string; key: string; end: (outcome: string | Error) => void }[] = [];
  const send = (what: string, key: string) =>
    new Promise<string>((resolve, reject) => {
      sent.push({ what, key, end: (end) => (end instanceof Error ? reject(end) : resolve(end)) });
    });
  return { sent, once: onceUntilAnswered(send) };
}
const lost = new ApiError(0, 'lost', null);

test('two clicks send one request, and both get its response', async () => {
  const { sent, once } = line();
  const clicks = [once('a'), once('a')];
  expect(sent).toHaveLength(1);
  sent[0]!.end('done');
  expect(await Promise.all(clicks)).toEqual(['done', 'done']);
});

test.each([
  ['no answer', lost, true],
  ['a fault', new ApiError(503, 'away', null), true],
  ['the first try still runs', new ApiError(409, 'running', null), true],
  ['a refusal', new ApiError(400, 'no', null), false],
])('after %s a retry uses the same idempotency key: %p', async (_, error, same) => {
  const { sent, once } = line();
  const first = once('a').catch((thrown) => thrown);
  sent[0]!.end(error);
  expect(await first).toBe(error);
  void once('a');
  expect(sent[1]!.key === sent[0]!.key).toBe(same as boolean);
});

test('another request, or the same after a response, gets a new key', async () => {
  const { sent, once } = line();
  const first = once('a');
  void once('b');
  sent[0]!.end('done');
  await first;
  void once('a');
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
  for (const { key } of sent) expect(key).toMatch(/^[0-9a-f]{32}$/);
});
