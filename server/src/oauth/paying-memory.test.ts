import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../lib/until.fixture.ts';
import { jsonOf } from './oauth.fixture.ts';
import { answerOfOne, openPayingTest, type PayingTest } from './paying.fixture.ts';

/** The consent screen speaks of models, files, responses and videos: not of conversations and knowledge. */
let t: PayingTest;
let token: string;
let other: string;
const secret = 'falcon';
beforeAll(async () => {
  t = await openPayingTest();
  await t.platform.jobs.start();
  token = (await t.mayPay(await t.payingClient(), 1_000_000)).access_token;
  other = (await t.mayPay(await t.payingClient({ name: 'Another' }), 1_000_000)).access_token;
  const note = { category: 'c', title: 'Bird', content: `The bird is a ${secret}.`, keywords: [] };
  await t.member.call('/api/svc-ms/knowledge', { method: 'POST', body: note });
});
afterAll(() => t.close());

const orchestra = 'svc/svc-ms';
const mine = async (text: string, svc_ms: object) => {
  const { data } = await jsonOf(t.member.call('/api/tokens', { method: 'POST', body: { name: 'own' } }));
  return asks(data.key, text, svc_ms);
};
const asks = async (key: string, text: string, svc_ms: object = {}, tools?: object[]) => {
  const messages = [{ role: 'user', content: text }];
  const response = await t.ask(key, { model: orchestra, messages, svc_ms, ...(tools && { tools }) });
  return { status: response.status, body: await jsonOf(response) };
};
const sentLast = () => JSON.stringify(t.upstream.seen.at(-1)!.body);

const streamed = () => {
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
  const text = `data: ${JSON.stringify({ id: 'c', choices })}\n\ndata: [DONE]\n\n`;
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
};

describe('an application that may use models', () => {
  test('does not read the conversations of its user', async () => {
    expect((await mine(`My bird is a ${secret}`, { session_id: 'private' })).status).toBe(200);
    const { status, body } = await asks(token, 'Repeat what was said before', { session_id: 'private' });
    expect([status, body.svc_ms_meta.session_id]).toEqual([200, 'private']);
    expect(sentLast()).toContain('Repeat what');
    expect(sentLast()).not.toContain(secret);
    const { data } = await jsonOf(t.member.call('/api/svc-ms/sessions/private/history'));
    expect(JSON.stringify(data)).not.toContain('Repeat what');
  });

  test.each(['use_vector_search', 'extract_knowledge'])('is refused %s', async (name) => {
    const { status, body } = await asks(token, 'Which bird is it?', { [name]: true });
    expect([status, body.error.code, body.error.param]).toEqual([403, 'forbidden', `svc_ms.${name}`]);
    expect((await asks(token, 'Which bird is it?', { [name]: false })).status).toBe(200);
  });

  test('continues its own sessions, by its own name for them and by the one it was given', async () => {
    await asks(token, 'The number is 4711', { session_id: 'talk' });
    await asks(token, 'Which number?', { session_id: 'talk' });
    expect(sentLast()).toContain('4711');
    await asks(other, 'Which number then?', { session_id: 'talk' });
    expect(sentLast()).not.toContain('4711');
    const { body } = await asks(token, 'The number is 4712');
    await asks(token, 'Which number now?', { session_id: body.svc_ms_meta.session_id });
    expect(sentLast()).toContain('4712');
  });

  test('leaves nothing in the memory of its user, who sees and deletes its sessions', async () => {
    await t.member.call('/api/svc-ms/user/preferences', { method: 'PUT', body: { enable_knowledge_extraction: true } });
    await asks(token, 'The safe is opened by ostrich', { session_id: 'written' });
    await mine('By what is the safe opened, now?', { use_vector_search: true, session_id: 'reader' });
    await t.member.call('/api/svc-ms/user/preferences', { method: 'PUT', body: { enable_knowledge_extraction: null } });
    expect(sentLast()).not.toContain('ostrich');
    const listed = await jsonOf(t.member.call('/api/svc-ms/sessions?page_size=100'));
    const ids: string[] = listed.data.sessions.map(({ session_id }: { session_id: string }) => session_id);
    const written = ids.find((id) => id.endsWith(':written'))!;
    expect(written).toMatch(/^app-\d+:written$/);
    const gone = await t.member.call(`/api/svc-ms/sessions/${written}`, { method: 'DELETE' });
    expect(gone.status).toBe(200);
  });

  test('is told how long the name of a session may be', async () => {
    const { status, body } = await asks(token, 'Hi', { session_id: 'x'.repeat(128) });
    expect([status, body.error.param]).toEqual([400, 'svc_ms.session_id']);
    expect(body.error.message).toMatch(/at most 1\d\d characters/);
  });

  test('finds its session again in the background', async () => {
    t.upstream.answer(({ body }) => ((body as { stream?: boolean }).stream ? streamed() : answerOfOne()));
    await asks(token, 'The number is 4713', { session_id: 'later' });
    const input = 'Which number, in the background?';
    const body = {
      model: orchestra,
      messages: undefined,
      max_tokens: undefined,
      input,
      svc_ms: { session_id: 'later' },
    };
    const { id } = await jsonOf(t.ask(token, { ...body, background: true }, '/v1/responses'));
    await until('it is answered', async () => {
      const { status, error } = await jsonOf(t.withBearer(`/v1/responses/${id}`, token));
      expect(error).toBeNull();
      return status === 'completed';
    });
    const asked = t.upstream.seen.map((one) => JSON.stringify(one.body)).filter((one) => one.includes(input));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((one) => one.includes('4713'))).toBe(true);
  });
});
