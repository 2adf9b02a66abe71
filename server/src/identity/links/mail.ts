import type { LinkDeps } from './deps.ts';

/** Mails to one address in an hour: somebody else may have typed it. */
const mostMails = 5;
export const mailWindowMs = 3_600_000;

export async function mayMail(deps: Pick<LinkDeps, 'shared'>, address: string): Promise<boolean> {
  const { allowed } = await deps.shared.hit(`mail:${address.toLowerCase()}`, mostMails, mailWindowMs);
  return allowed;
}
