import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';
import { jsonOf, type TestClient } from './oauth.fixture.ts';
import { openOpenidTest } from './openid/openid.fixture.ts';

/** A model that costs one unit a request, whatever is asked: what is put aside for it is what it costs. */
export const oneUnit = 'one-unit';
/** A video model that costs one unit a second; none is ever made. */
export const film = 'film';
/** What the scripted upstream says it took and made; a token costs one unit. */
export const costOfOne = 5;
export const answerOfOne = () =>
  Response.json({
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: costOfOne },
  });

/** OpenID Connect turned on, a model that costs something, and a user with money. */
export async function openPayingTest(env: Record<string, string> = {}) {
  const t = await openOpenidTest({ env });
  const upstream: ScriptedUpstream = scriptedUpstream(answerOfOne);
  await addUpstream(t.app, upstream.url, [
    { model_id: 'm', prompt_price: 2, completion_price: 2 },
    { model_id: oneUnit, request_price: 0.000_002 },
    { model_id: film, type: 'video', request_price: 0.000_002 },
  ]);
  const credits = { method: 'POST', body: { quota: 1_000_000 } };
  await (await t.root()).call(`/api/admin/users/${t.member.id}/credits`, credits);

  const payingClient = (fields: Record<string, unknown> = {}): Promise<TestClient> =>
    t.client({ name: 'Agent', scopes: 'openid profile models:use', ...fields });
  /** Tokens of a client that may spend so much. */
  const mayPay = (client: TestClient, spending_limit: number, fields: Record<string, unknown> = {}) =>
    t.tokens(client, { scope: 'openid models:use', spending_limit, ...fields });
  const ask = (token: string, body: Record<string, unknown> = {}, path = '/v1/chat/completions') =>
    t.withBearer(path, token, {
      method: 'POST',
      body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...body },
    });
  /** As the user sees it on the page of authorized applications. */
  const consentOf = async (client: TestClient) => {
    const { data } = await jsonOf(t.member.call('/api/oauth2/consents?page_size=100'));
    return data.consents.find((one: { application_id: number }) => one.application_id === client.id);
  };
  const setLimit = (client: TestClient, spending_limit: number, spending_window = 'total') =>
    t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'PUT', body: { spending_limit, spending_window } });
  const usage = async (): Promise<Record<string, unknown>[]> =>
    (await jsonOf(t.member.call('/api/usage/logs?page_size=100'))).data.logs;
  return {
    ...t,
    upstream,
    ...{ payingClient, mayPay, ask, consentOf, setLimit, usage },
    close: async () => {
      await upstream.close();
      await t.close();
    },
  };
}
export type PayingTest = Awaited<ReturnType<typeof openPayingTest>>;

/** Status and code of an answer of the relay. */
export async function refusalOf(response: Response | Promise<Response>): Promise<[number, unknown]> {
  const answered = await response;
  return [answered.status, ((await answered.json()) as { error?: { code?: string } }).error?.code];
}
