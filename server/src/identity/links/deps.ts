import type { Log } from '../../platform/log.ts';
import type { AccountDeps } from '../accounts.ts';
import type { Mailer } from '../mails/mailer.ts';

export interface LinkDeps extends AccountDeps {
  webUrl: string;
  /** Null where the operator has set no SMTP server: then administrators hand links over. */
  mailer: Mailer | null;
  log: Log;
}
