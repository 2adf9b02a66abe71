import { expect, test } from 'bun:test';
import { geminiKind } from './providers/gemini.ts';
import { openaiKind } from './providers/openai.ts';
import type { Json } from './wire/conversation.ts';

/** An answer that was cut off must not look complete in another format. */
test.each([
  ['OTHER', 'content_filter'],
  ['IMAGE_OTHER', 'content_filter'],
  ['NO_IMAGE', 'content_filter'],
  ['STOP', 'stop'],
] as const)('Google’s finish reason %s becomes %s, whole and streamed', (finishReason, finish) => {
  const body = { candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, finishReason }] };
  expect(geminiKind.fromUpstream(body).finish).toBe(finish);
  expect(geminiKind.decoder()(body).at(-1)).toEqual({ type: 'finish', finish });
});

test.each([
  ['insufficient_system_resource', 'length'],
  ['network_error', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['sensitive', 'content_filter'],
  ['eos', 'stop'],
] as const)('the finish reason %s of a chat becomes %s, whole and streamed', (finish_reason, finish) => {
  const said = { role: 'assistant', content: 'a' };
  const choice = (held: Json): Json => ({ id: 'c', choices: [{ index: 0, ...held, finish_reason }] });
  expect(openaiKind.fromUpstream(choice({ message: said })).finish).toBe(finish);
  expect(
    openaiKind
      .decoder()(choice({ delta: said }))
      .at(-1),
  ).toEqual({ type: 'finish', finish });
});

test('reasoning of a response that comes only with its finished item is streamed, and once', () => {
  const item = {
    type: 'reasoning',
    id: 'rs',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'x',
  };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  const delta = { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' };
  for (const events of [[done], [delta, done]]) {
    const decode = openaiKind.responses!.decoder();
    expect(events.flatMap((event) => decode(event))).toEqual([
      { type: 'thinking', text: 'Hm.' },
      { type: 'signature', signature: 'openai#rs#x' },
    ]);
  }
});
