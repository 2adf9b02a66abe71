import type { Billing } from '../billing/billing.ts';
import type { AccountDeps } from '../identity/accounts.ts';
import type { Mailer } from '../identity/mails/mailer.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { OutgoingAnswer, OutgoingPolicy, OutgoingRequest } from '../platform/http/outgoing.ts';
import type { Log } from '../platform/log.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';

/** Shared dependencies of this room. */
export interface OrganisationsContext extends AccountDeps {
  billing: Pick<Billing, 'recallWindows'>;
  cacheSync: CacheSync;
  jobs: Pick<Jobs, 'enqueue'>;
  sealer: Sealer;
  /** Null without an SMTP server: links are handed over instead. */
  mailer: Mailer | null;
  log: Log;
  webUrl: string;
  /** Address for directories. */
  baseUrl: string;
  /** Whether webhooks may go to private addresses. */
  allowPrivate: boolean;
  send(request: OutgoingRequest, policy: OutgoingPolicy): Promise<OutgoingAnswer>;
}

const tagged = 'organisation:';

/** Invalidates what is cached of the organisation, its keys and their levels. */
export const organisationTag = (id: number): string => `${tagged}${id}`;
export const isOrganisationTag = (tag: string): boolean => tag.startsWith(tagged);
