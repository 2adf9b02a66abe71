import { describe, expect, test } from 'bun:test';
import { geminiKind } from '../providers/gemini.ts';
import { openaiKind } from '../providers/openai.ts';
import { renderChatAnswer } from './chat/answer.ts';
import { RelayStream } from './relay-stream.ts';

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** A picture in the middle of what is said, as each vendor streams it. */
const upstreams = {
  chat: {
    decode: () => openaiKind.decoder(),
    frames: [
      { choices: [{ index: 0, delta: { content: 'Here: ' }, finish_reason: null }] },
      {
        choices: [
          {
            index: 0,
            delta: { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,UElD' } }] },
            finish_reason: null,
          },
        ],
      },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ],
  },
  gemini: {
    decode: () => geminiKind.decoder(),
    frames: [
      { candidates: [{ content: { parts: [{ text: 'Here: ' }] } }] },
      { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'UElD' } }] } }] },
      { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] },
    ],
  },
  responses: {
    decode: () => openaiKind.responses!.decoder(),
    frames: [
      { type: 'response.created', response: { id: 'r', model: 'm' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Here: ' },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'image_generation_call', id: 'ig', status: 'completed', result: 'UElD' },
      },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ],
  },
} as const;
const names = Object.keys(upstreams) as (keyof typeof upstreams)[];

describe.each(names)('an image streamed by a %s vendor', (upstream) => {
  test.each(names)('reaches a %s client', (client) => {
    const { decode, frames } = upstreams[upstream];
    const stream = new RelayStream({
      ...{ client, upstream, decode: decode(), model: 'public/name', id: 'x', created: 1, includeUsage: false },
    });
    const out = [stream.push(Buffer.from(frames.map(frame).join(''))), stream.end().tail];
    expect(Buffer.concat(out.filter((bytes) => bytes !== null)).toString()).toContain('UElD');
  });
});

const logprobs = [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }];

test('logprobs of a responses upstream reach a chat client', () => {
  const response = {
    ...{ id: 'r', model: 'm', status: 'completed' },
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'a', logprobs }] }],
  };
  const answer = openaiKind.responses!.fromUpstream(response);
  expect(renderChatAnswer(answer, { model: 'm', id: 'x', created: 1 }).choices).toMatchObject([
    { logprobs: { content: logprobs, refusal: null } },
  ]);
  const stream = new RelayStream({
    ...{ client: 'chat', upstream: 'responses', decode: openaiKind.responses!.decoder(), model: 'm', id: 'x' },
    ...{ created: 1, includeUsage: false },
  });
  const said = frame({ type: 'response.output_text.delta', output_index: 0, delta: 'a', logprobs });
  const chunks = Buffer.from(stream.push(Buffer.from(said))!)
    .toString()
    .split('\n\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text.slice(6)));
  expect(chunks.at(-1).choices).toMatchObject([{ delta: { content: 'a' }, logprobs: { content: logprobs } }]);
});
