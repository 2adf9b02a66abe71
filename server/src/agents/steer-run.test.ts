import { expect, test } from 'bun:test';
import { until } from '../lib/until.fixture.ts';
import { connectClient } from '../mcp/mcp.fixture.ts';
import { openRelayTest } from '../relay/endpoints/relay.fixture.ts';
import { addUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';

const saying = (messages: string): string => {
  if (messages.includes('Judge how well')) return '{"score": 1, "feedback": ""}';
  return messages.includes('Judge whether') ? '{"confidence": 1, "missing": []}' : 'Tea is a drink.';
};

test('a run that has reached its maximum cost goes on with a higher one', async () => {
  const relay = await openRelayTest();
  const upstream = scriptedUpstream(({ body }) => {
    const { messages, stream } = body as { messages: unknown; stream?: boolean };
    const content = saying(JSON.stringify(messages));
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    if (!stream) return Response.json({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }], usage });
    const chunks = [{ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] }, { choices: [], usage }];
    const text = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  });
  await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/m', prompt_price: 100, completion_price: 100 }]);
  await relay.test.app.start();
  await relay.credit(5_000_000);
  const { client } = await connectClient(relay.test, '/mcp/svc', relay.key);
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent, content } = await client.callTool({ name, arguments: given });
    return (structuredContent ?? { content }) as Record<string, unknown>;
  };
  const { session_id } = await call('start_run', { goal: 'What is tea?', max_cost: 0.000_001 });
  const ended = async () => (await call('follow_run', { session_id })).status !== 'running';
  await until('it is paused', ended);
  const { checkpoint_id, reason } = await call('follow_run', { session_id });
  expect(reason).toBe('max_cost');
  expect(await call('steer_run', { session_id, checkpoint_id, max_cost: 2 })).toMatchObject({ session_id });
  await until('it has come to an end', ended);
  expect(await call('follow_run', { session_id })).toMatchObject({ status: 'completed', max_cost: 2 });
  await client.close();
  await relay.close();
  await upstream.close();
});
