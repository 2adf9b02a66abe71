import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { addUpstream, breakAfter, type Script, stallAfter } from '../../scripted-upstream.fixture.ts';
import { exceptionFrame } from './frames.fixture.ts';
import {
  type BedrockTest,
  begun,
  clients,
  eventsIn,
  headers,
  inTurn,
  type Loose,
  openBedrockTest,
  streams,
  upstreamNames,
  type Way,
  ways,
} from './upstream.fixture.ts';

let bedrock: BedrockTest;
beforeAll(async () => {
  bedrock = await openBedrockTest();
});
beforeEach(() => {
  bedrock.upstream.seen.length = 0;
});
afterAll(() => bedrock.close());

const ask = (model: string, client: string, stream: boolean) =>
  bedrock.relay.post(clients[client]!.path, { ...clients[client]!.body(model), stream });

test.each(ways)('%s: an upstream error is returned with its status and code', async (way) => {
  const refuse = (name: string, status: number, words: string) =>
    bedrock.upstream.answer(() => Response.json({ message: words }, { status, headers: { 'x-amzn-errortype': name } }));
  refuse('ValidationException', 400, 'Input is too long for requested model.');
  const tooLong = await ask(`bed/${way}`, 'chat', true);
  expect([tooLong.status, ((await tooLong.json()) as Loose).error.code]).toEqual([400, 'context_length_exceeded']);
  refuse('ThrottlingException', 429, 'Too many requests');
  const busy = await ask(`bed/${way}`, 'messages', false);
  expect([busy.status, ((await busy.json()) as Loose).error.type]).toEqual([429, 'rate_limit_error']);
});

const thenComes =
  (pieces: (way: Way) => Uint8Array[]) =>
  (way: Way): Script =>
  () =>
    inTurn([...begun[way], ...pieces(way)]);
const broken: [string, (way: Way) => Script][] = [
  ['the connection breaks', (way) => breakAfter(begun[way], headers)],
  ['the stream is cut within a frame', thenComes((way) => [streams[way][2]!.subarray(0, 40)])],
  ['the stream is cut between frames', thenComes(() => [])],
  ['a frame is malformed', thenComes((way) => [Buffer.from(streams[way][2]!).fill(0, 30, 34)])],
  ['the model fails', thenComes(() => [exceptionFrame('modelStreamErrorException', 'lost')])],
  ['the request is throttled', thenComes(() => [exceptionFrame('throttlingException', 'slow down')])],
];
for (const way of ways)
  test.each(broken)(
    `${way}: in mid-stream %s: the client gets an error and pays for what it received`,
    async (_, script) => {
      bedrock.upstream.answer(script(way));
      const answer = await ask(await bedrock.newModel(way), 'messages', true);
      const got = await answer.text();
      expect(clients.messages!.textOf(got, true)).toBe('Good morning ');
      expect(eventsIn(got).at(-1)).toMatchObject({ type: 'error' });
      expect(got).not.toContain('message_stop');
      const { status, completion_tokens, quota } = await bedrock.relay.usageOf(answer);
      expect(status).toBe('interrupted');
      expect(completion_tokens).toBeGreaterThan(0);
      expect(quota).toBeGreaterThan(0);
    },
  );

test.each(ways)('%s: a disconnecting client ends the upstream call and pays for what was generated', async (way) => {
  const model = await bedrock.newModel(way);
  bedrock.upstream.answer(stallAfter(begun[way], headers));
  const left = new AbortController();
  const coming = bedrock.upstream.next();
  const answer = await fetch(`${bedrock.server.url}v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bedrock.relay.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...clients.chat!.body(model), stream: true }),
    signal: left.signal,
  });
  const reader = answer.body!.getReader();
  let got = '';
  while (!got.includes('morning')) got += Buffer.from((await reader.read()).value!).toString();
  left.abort();
  await (await coming).aborted;
  expect(await bedrock.relay.usageOf(answer)).toMatchObject({ status: 'aborted' });
});

test('returns 502 without an upstream call if the channel’s credential is invalid', async () => {
  const url = bedrock.upstream.url.replace('/v1', '');
  const model = { model_id: 'bed/keyless', model_name: upstreamNames.nova };
  await addUpstream(bedrock.relay.test, url, [model], { kind: 'bedrock', credential: 'AKID:', provider: 'keyless' });
  const answer = await bedrock.relay.post('/v1/chat/completions', clients.chat!.body('bed/keyless'));
  expect([answer.status, bedrock.upstream.seen.length]).toEqual([502, 0]);
});
