import { AppError } from '../../lib/errors.ts';
import { type Call, ok } from '../../platform/http/route.ts';
import type { AccountDeps } from '../accounts.ts';
import { learnLanguage } from '../caller-language.ts';
import type { ProvenUser } from '../sessions.ts';

/** Answers an authenticated user with their account and a new session's cookie. */
export async function answerWithSession(
  { db, sessions }: Pick<AccountDeps, 'db' | 'sessions'>,
  call: Call,
  proven: ProvenUser,
): Promise<Response> {
  const started = await sessions.start(proven, call);
  if (!started) throw new AppError('wrong_credentials', 'The account has changed in the meantime. Log in again.');
  call.headers['set-cookie'] = started.cookie;
  return ok(call, { ...proven.user, language: await learnLanguage(db, call, proven.user.id) });
}
