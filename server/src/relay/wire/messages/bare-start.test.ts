import { expect, test } from 'bun:test';
import { anthropicKind } from '../../providers/anthropic.ts';
import type { Json } from '../conversation.ts';
import { RelayStream } from '../relay-stream.ts';

const whole = {
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'up', content: [], stop_reason: null },
  usage: { input_tokens: 3, output_tokens: 1 },
};

function startOf(message: Json): Json {
  const stream = new RelayStream({
    ...{ client: 'messages', upstream: 'messages', decode: anthropicKind.decoder(), model: 'public/name', id: 'made' },
    ...{ created: 1, includeUsage: true, promptTokens: 7 },
  });
  const frame = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`;
  const out = Buffer.from(stream.push(Buffer.from(frame))!).toString();
  return (JSON.parse(out.slice(out.indexOf('data: ') + 6)) as { message: Json }).message;
}

test.each([undefined, null])(
  'a message that starts with %p instead of usage has it, and all that belongs to it',
  (missing) => {
    const { type: _, role: __, id: ___, ...bare } = whole;
    expect(startOf({ ...bare, usage: missing, content: missing })).toEqual({
      ...{ ...whole, id: 'made', model: 'public/name' },
      usage: { input_tokens: 7, output_tokens: 1 },
    });
  },
);

test('one that has them stays as it is', () => {
  expect(startOf(whole)).toEqual({ ...whole, model: 'public/name' });
});
