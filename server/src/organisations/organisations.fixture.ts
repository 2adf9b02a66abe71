import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import type { ManualClock } from '../lib/clock.ts';
import { addUpstream, type ScriptedUpstream, saidHello, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';

/** What each request to the model `m` costs, and holds: 0.0002 dollars. */
export const price = 100;

export interface Answered<T> {
  status: number;
  data: T;
  message: string;
}

export interface World {
  t: TestApp;
  root: Member;
  upstream: ScriptedUpstream;
  /** A management call of somebody. */
  send<T = Record<string, unknown> & { id: number }>(
    by: Member,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answered<T>>;
  credit(userId: number, quota: number): Promise<void>;
  /** Asks the model with a key. */
  ask(key: string, model?: string): Promise<{ status: number; code: string; message: string }>;
  /** Somebody new who joins by a link. */
  join(owner: Member, organisationId: number, role: string, teamId?: number): Promise<Member>;
  close(): Promise<void>;
}

/** The whole service, with a model whose requests cost the same each. */
export async function openWorld(options: { clock?: ManualClock; env?: Record<string, string> } = {}): Promise<World> {
  const t = await openTestApp(options);
  await t.setOption('RateLimitEnabled', false);
  const root = await t.root();
  const upstream = scriptedUpstream(() => saidHello());
  await addUpstream(t, upstream.url, [
    { model_id: 'm', prompt_price: 0, completion_price: 0, request_price: 0.0002 },
    { model_id: 'other', prompt_price: 0, completion_price: 0, request_price: 0.0002 },
  ]);
  const send: World['send'] = async (by, method, path, body) => {
    const answer = await by.call(path, { method, ...(body !== undefined && { body }) });
    const told = (await answer.json()) as { data: never; message?: string };
    return { status: answer.status, data: told.data, message: told.message ?? '' };
  };
  return {
    t,
    root,
    upstream,
    send,
    credit: async (userId, quota) => {
      const { status, message } = await send(root, 'POST', `/api/admin/users/${userId}/credits`, { quota });
      if (status !== 200) throw new Error(message);
    },
    ask: async (key, model = 'm') => {
      const answer = await t.call('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: { model, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
      });
      const { error } = (await answer.json()) as { error?: { code: string; message: string } };
      return { status: answer.status, code: error?.code ?? '', message: error?.message ?? '' };
    },
    join: async (owner, organisationId, role, team_id) => {
      const path = `/api/organisations/${organisationId}/invitations`;
      const body = { role, ...(team_id !== undefined && { team_id }) };
      const { data } = await send<{ url: string }>(owner, 'POST', path, body);
      const member = await t.user();
      await send(member, 'POST', '/api/invitations/accept', { token: data.url.split('#')[1] });
      return member;
    },
    close: async () => {
      await upstream.close();
      await t.close();
    },
  };
}
