import type { LinkDeps } from './deps.ts';

/** Mails to one address in an hour: somebody else may have typed it. */
const mostMails = 5;
/** Of what was done to the account, counted apart: nobody keeps its owner from hearing of it by asking for other mails first. */
const mostNotices = 20;
export const mailWindowMs = 3_600_000;

const counted = async ({ shared }: Pick<LinkDeps, 'shared'>, name: string, most: number): Promise<boolean> =>
  (await shared.hit(name, most, mailWindowMs)).allowed;

export const mayMail = (deps: Pick<LinkDeps, 'shared'>, address: string): Promise<boolean> =>
  counted(deps, `mail:${address.toLowerCase()}`, mostMails);

export const mayMailNotice = (deps: Pick<LinkDeps, 'shared'>, address: string): Promise<boolean> =>
  counted(deps, `mail-notice:${address.toLowerCase()}`, mostNotices);
