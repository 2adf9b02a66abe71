/** Further things, for requests that would spoil those that the other requests stand on, and work of all kinds. */
import type { Caller } from '../service.ts';

export interface Extra {
  /** A key with a limit and a former secret. */
  tokenId: number;
  /** An application that the user allowed to use models. */
  applicationId: number;
  /** Of the other application. */
  accessToken: string;
  refreshToken: string;
  userCode: string;
  modelId: number;
  username: string;
  redemptionCode: string;
  sessionId: number;
  requestId: string;
  sourceId: string;
  runId: string;
  serverName: string;
  /** Of a batch in Anthropic's format. */
  requests: unknown[];
  backgroundId: string;
  openUploadId: string;
}

interface Given {
  url: string;
  root: Caller;
  user: Caller;
  key: string;
  name: string;
  /** The client's credentials. */
  basic: string;
  channelId: number;
  callback: string;
  tokens: { access_token: string; refresh_token: string };
  serverName: string;
}

const hi = { model: 'demo/chat', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };

export async function newExtra(given: Given): Promise<Extra> {
  const { url, root, user, key, name, basic, channelId, callback, tokens, serverName } = given;
  const post = <T>(by: Caller, path: string, body: unknown, method = 'POST'): Promise<T> =>
    by.api<T>(path, { method, body });
  const withKey = (path: string, body: FormData | object) =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
  const idOf = async (answer: Response) => ((await answer.json()) as { id: string }).id;

  const token = await post<{ id: number }>(user, '/api/tokens', { name: `${name} to change` });
  await post(user, `/api/tokens/${token.id}/limit`, { amount: 1_000_000 }, 'PUT');
  await post(user, `/api/tokens/${token.id}/rotate`, { overlap_seconds: 3_600 });
  const application = await post<{ id: number; client_id: string }>(user, '/api/oauth2/applications', {
    ...{ name: `${name} to change`, redirect_uris: [callback], scopes: 'openid models:use' },
  });
  const allowed = { client_id: application.client_id, redirect_uri: callback, scope: 'openid models:use' };
  const limit = { spending_limit: 1_000, spending_window: 'month' };
  await post(user, '/api/oauth2/authorize', { ...allowed, ...limit, approved: true });
  await post(user, '/api/user/spending/month', { amount: 100_000_000 }, 'PUT');
  const device = await fetch(`${url}/api/oauth2/device_authorization`, {
    method: 'POST',
    headers: { authorization: basic },
    body: new URLSearchParams({ scope: 'openid' }),
  });
  const model = await post<{ id: number }>(root, '/api/admin/provider-models', {
    ...{ model_id: `fuzz/${name}-${user.id}`, channel_id: channelId, model_name: 'upstream' },
  });
  const { codes } = await post<{ codes: { code: string }[] }>(root, '/api/admin/redemption-codes', {
    ...{ quota: 5, count: 1, uses: 100 },
  });
  const [session] = await user.api<{ id: number }[]>('/api/user/sessions');
  const { username } = await user.api<{ username: string }>('/api/user/self');
  const paper = new FormData();
  paper.set('file', new File(['It is known.'], 'paper.txt'));
  const imported = (await (await withKey('/api/svc-ms/knowledge/import', paper)).json()) as {
    data: { files: { source: { id: string } }[] };
  };
  const runId = `run-${name}`;
  const run = { session_id: runId, message: 'tea', stream_events: false, config: { max_iterations: 1 } };
  await withKey('/api/svc-ms/autonomous/execute', run);
  const asked = await withKey('/v1/chat/completions', hi);
  const background = { model: 'demo/chat', input: 'hi', background: true };
  const about = { bytes: 9, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' };
  return {
    ...{ tokenId: token.id, applicationId: application.id },
    ...{ accessToken: tokens.access_token, refreshToken: tokens.refresh_token },
    userCode: ((await device.json()) as { user_code: string }).user_code,
    ...{ modelId: model.id, username, redemptionCode: codes[0]!.code, sessionId: session!.id },
    requestId: asked.headers.get('x-request-id')!,
    ...{ sourceId: imported.data.files[0]!.source.id, runId, serverName },
    requests: [{ custom_id: 'a', params: hi }],
    backgroundId: await idOf(await withKey('/v1/responses', background)),
    openUploadId: await idOf(await withKey('/v1/uploads', about)),
  };
}
