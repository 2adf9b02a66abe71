import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

let relay: RelayTest;
let deaf: ScriptedUpstream;
let hears: ScriptedUpstream;
beforeAll(async () => {
  relay = await openRelayTest();
  deaf = scriptedUpstream();
  hears = scriptedUpstream(() =>
    Response.json({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'up' },
      choices: [{ index: 0, message: { role: 'assistant', content: 'I heard it.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    }),
  );
  const claude = { kind: 'anthropic', provider: 'deaf', name: 'deaf' };
  await addUpstream(relay.test, deaf.url, [{ model_id: 's/both' }, { model_id: 's/deaf' }], claude);
  await addUpstream(relay.test, hears.url, [{ model_id: 's/both' }, { model_id: 's/hears' }], { provider: 'hears' });
});
afterAll(async () => {
  await relay.close();
  await Promise.all([deaf.close(), hears.close()]);
});

const content = [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }];
const ask = (fields: object, stream = false) =>
  relay.post('/v1/chat/completions', { messages: [{ role: 'user', content }], stream, ...fields });

test.each([false, true])('audio input is routed to a model that supports it; streamed: %p', async (stream) => {
  hears.answer(() =>
    stream
      ? new Response('data: {"choices":[{"index":0,"delta":{"content":"I heard it."},"finish_reason":"stop"}]}\n\n')
      : Response.json({ choices: [{ index: 0, message: { content: 'I heard it.' }, finish_reason: 'stop' }] }),
  );
  const provider = { order: ['deaf', 'hears'] };
  for (const asked of [
    { model: 's/both', provider },
    { model: 's/deaf', models: ['s/hears'] },
  ]) {
    const answer = await ask(asked, stream);
    expect(await answer.text()).toContain('I heard it.');
    expect(answer.status).toBe(200);
  }
  expect(deaf.seen).toEqual([]);
});

test('returns 400 naming the part type if no model supports audio', async () => {
  const answer = await ask({ model: 's/deaf' });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: {
      message: "Parts of type 'input_audio' are not supported by this model.",
      ...{ type: 'invalid_request_error', param: 'messages', code: 'unsupported_parameter' },
    },
  });
  expect(deaf.seen).toEqual([]);
});
