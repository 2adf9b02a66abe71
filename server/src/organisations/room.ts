import type { Billing } from '../billing/billing.ts';
import type { AccountDeps } from '../identity/accounts.ts';
import type { Mailer } from '../identity/mails/mailer.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { OutgoingAnswer, OutgoingPolicy, OutgoingRequest } from '../platform/http/outgoing.ts';
import type { Log } from '../platform/log.ts';
import type { Hearing } from '../platform/shared/hearing.ts';

/** What the functions of this room share. */
export interface Room extends AccountDeps {
  billing: Pick<Billing, 'recallWindows'>;
  hearing: Hearing;
  jobs: Pick<Jobs, 'enqueue'>;
  sealer: Sealer;
  /** Null where the operator has set no SMTP server: then links are handed over. */
  mailer: Mailer | null;
  log: Log;
  webUrl: string;
  /** Where directories reach us. */
  baseUrl: string;
  /** Whether webhooks may go to private addresses. */
  allowPrivate: boolean;
  send(request: OutgoingRequest, policy: OutgoingPolicy): Promise<OutgoingAnswer>;
}

const tagged = 'organisation:';

/** What was kept of the organisation, of its keys and of their levels, is no longer so. */
export const organisationTag = (id: number): string => `${tagged}${id}`;
export const isOrganisationTag = (tag: string): boolean => tag.startsWith(tagged);
