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
async function serve(model: string, answers: string[]): Promise<ScriptedUpstream> {
  const upstream = scriptedUpstream(
    () => new Response(answers.shift(), { headers: { 'content-type': 'text/event-stream' } }),
  );
  upstreams.push(upstream);
  await addUpstream(house, upstream.url, [{ model_id: model }]);
  return upstream;
}

const ask = async (model: string, more: object = {}): Promise<string> => {
  const answer = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: {
      model: 'svc/svc-ms',
      stream: true,
      messages: [{ role: 'user', content: 'What is it?' }],
      svc_ms: { force_model: model },
      ...more,
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

test('wishes about providers are heeded and stay here, who asks and labels go on', async () => {
  const upstream = await serve('m/wishes', [`${chunk({ content: 'Yes.' })}${chunk({}, 'stop')}data: [DONE]\n\n`]);
  expect(await ask('m/wishes', { provider: { only: ['nobody'] } })).toBe('');
  expect(upstream.seen).toBeEmpty();
  const more = { user: 'u-1', metadata: { team: 'x' } };
  expect(await ask('m/wishes', { ...more, provider: { ignore: ['nobody'] }, reasoning_effort: 'low' })).toBe('Yes.');
  expect(upstream.seen[0]!.body).toMatchObject({ ...more, reasoning_effort: 'low' });
  expect(upstream.seen[0]!.body).not.toHaveProperty('provider');
});
