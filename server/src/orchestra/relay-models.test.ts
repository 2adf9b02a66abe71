import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';

let house: TestApp;
let key: string;
const upstreams: ScriptedUpstream[] = [];
beforeAll(async () => {
  house = await openTestApp();
  key = await (await house.root()).key();
});
afterAll(async () => {
  for (const upstream of upstreams) await upstream.close();
  await house.close();
});

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** An upstream that answers with the next of these. */
async function serve(model: string, answers: string[]): Promise<void> {
  const upstream = scriptedUpstream(
    () => new Response(answers.shift(), { headers: { 'content-type': 'text/event-stream' } }),
  );
  upstreams.push(upstream);
  await addUpstream(house, upstream.url, [{ model_id: model }]);
}

const ask = async (model: string): Promise<string> => {
  const answer = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: {
      model: 'svc/svc-ms',
      stream: true,
      messages: [{ role: 'user', content: 'What is it?' }],
      svc_ms: { force_model: model },
    },
  });
  const text = await answer.text();
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
};

test('what broke off before anybody saw it is not said again when another upstream takes over', async () => {
  const answers = [
    `${chunk({ content: 'It is ' })}data: {"error":{"message":"overloaded","code":503}}\n\n`,
    `${chunk({ content: 'It is a test.' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
  ];
  // Whichever is asked first breaks off.
  await serve('m/broken', answers);
  await serve('m/broken', answers);
  expect(await ask('m/broken')).toBe('It is a test.');
  expect(answers).toBeEmpty();
});
