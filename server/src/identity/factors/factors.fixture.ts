import { Secret, TOTP } from 'otpauth';
import type { CallInit, Member, TestApp } from '../../app.fixture.ts';

export const password = 'a fine password';

export const dataOf = async <T>(response: Response | Promise<Response>): Promise<T> =>
  ((await (await response).json()) as { data: T }).data;

export const post = (by: { call: Member['call'] }, path: string, body: unknown = {}, init: CallInit = {}) =>
  by.call(path, { method: 'POST', body, ...init });

/** What the app on the telephone shows at this moment. */
export const codeAt = (secret: string, ms: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });

export interface Enrolled {
  secret: string;
  recoveryCodes: string[];
}

/** The member's codes are asked for from now on, and the member's session has shown one. */
export async function enrol(t: TestApp, member: Member, secretOf: string = password): Promise<Enrolled> {
  const { secret } = await dataOf<{ secret: string }>(post(member, '/api/user/totp', { password: secretOf }));
  const code = codeAt(secret, t.platform.clock.nowMs());
  const { recovery_codes } = await dataOf<{ recovery_codes: string[] }>(
    post(member, '/api/user/totp/confirm', { code }),
  );
  return { secret, recoveryCodes: recovery_codes };
}

export const cookieOf = (response: Response): string => response.headers.get('set-cookie')!.split(';')[0]!;

/** The first step; the cookie of the half session. */
export async function halfOf(t: TestApp, username: string): Promise<string> {
  const response = await post(t, '/api/user/login', { username, password });
  if (response.status !== 202) throw new Error(`no second step: ${response.status}`);
  return cookieOf(response);
}

export const secondStep = (t: TestApp, cookie: string, code: string): Promise<Response> =>
  post(t, '/api/user/login/second-factor', { code }, { headers: { cookie } });
