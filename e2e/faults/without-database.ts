/** What the service answers while it has no database. */
import { expect } from 'bun:test';
import type { Service } from '../service.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;

export const message = 'The database cannot be reached right now. Try again in a moment.';

/** One endpoint of each error format, and its expected answer while there is no database. */
const shapes: { path: string; body?: string; type?: string; shape: Loose }[] = [
  {
    path: '/v1/chat/completions',
    body: '{"model":"x","messages":[]}',
    shape: { error: { message, type: 'server_error', param: null, code: 'unavailable' } },
  },
  {
    path: '/v1/messages',
    body: '{"model":"x","messages":[]}',
    shape: { type: 'error', error: { type: 'overloaded_error', message }, request_id: expect.any(String) },
  },
  { path: '/v1/videos', body: '{"model":"x","prompt":"y"}', shape: { error: { message } } },
  { path: '/api/user/self', shape: { success: false, message } },
  {
    path: '/api/oauth2/token',
    body: 'grant_type=authorization_code&code=x&redirect_uri=https://a.example&client_id=svc_0123456789abcdef',
    type: 'application/x-www-form-urlencoded',
    shape: { success: false, error_description: message },
  },
];

async function ask(
  service: Service,
  { path, body, type = 'application/json' }: (typeof shapes)[number],
): Promise<Loose> {
  const headers = {
    ...(path.startsWith('/api/user') && { cookie: service.root.cookie }),
    ...(path.startsWith('/v1') && { authorization: `Bearer sk-${'0'.repeat(48)}` }),
    ...(body && { 'content-type': type }),
  };
  const answer = await fetch(service.url + path, { headers, ...(body && { method: 'POST', body }) });
  return { status: answer.status, body: await answer.json() };
}

/** Checks all error formats and the probes: readiness fails and names the database, liveness succeeds. */
export async function expectUnavailable(service: Service): Promise<void> {
  const answers = await Promise.all(shapes.map((one) => ask(service, one)));
  for (const [i, { path, shape }] of shapes.entries()) {
    expect([path, answers[i].status]).toEqual([path, 503]);
    expect(answers[i].body).toMatchObject(shape);
  }
  await expectUnready(service);
}

export async function expectUnready(service: Service): Promise<void> {
  const readyz = await fetch(`${service.url}/readyz`);
  expect([readyz.status, ((await readyz.json()) as Loose).failing]).toEqual([503, ['database']]);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
}
