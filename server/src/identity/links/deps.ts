import type { Log } from '../../platform/log.ts';
import type { AccountDeps } from '../accounts.ts';
import type { Mailer } from '../mails/mailer.ts';

export interface LinkDeps extends AccountDeps {
  webUrl: string;
  /** Null without an SMTP server: administrators hand links over instead. */
  mailer: Mailer | null;
  log: Log;
}
