import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Jobs } from '../../platform/durable/jobs.ts';
import type { Owners } from '../../platform/durable/owners.ts';
import type { Call } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { StorageQuota } from '../../platform/storage-quota/storage-quota.ts';
import type { Owner } from './keeper.ts';
import type { Scope } from './store/tables.ts';

/** What stored responses need from other rooms. */
export interface ResponsesDeps {
  db: Db;
  owners: Pick<Owners, 'id'>;
  jobs: Jobs;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
  clock: Clock;
  sealer: Sealer;
  log: Log;
  storage: StorageQuota;
  /** Throws once the caller of a stream has lost access. */
  recheckCaller(call: Call): unknown;
  /** Days of retention since last use; 0 stores nothing. */
  keptDays(): number;
}

/** Anything last used at this second or earlier has expired; with 0 days, even the current second. */
export const keptSince = ({ clock, keptDays }: Pick<ResponsesDeps, 'clock' | 'keptDays'>): number =>
  keptDays() === 0 ? Number.MAX_SAFE_INTEGER : nowSeconds(clock) - keptDays() * 86_400;

export const scopeOf = (deps: Pick<ResponsesDeps, 'clock' | 'keptDays'>, { userId, keyId }: Owner): Scope => ({
  userId,
  keyId: keyId ?? 0,
  since: keptSince(deps),
});

/** For endpoints that need storage. */
export function requireKeeping({ keptDays }: Pick<ResponsesDeps, 'keptDays'>, param: string): void {
  if (keptDays() > 0) return;
  throw new AppError('unsupported_parameter', 'This service does not store responses or conversations.', { param });
}

/** For messages; anything else a client sends is truncated. */
const named = (id: string): string => `'${id.slice(0, 100)}'`;

/** The same message whether it never existed, belongs to another owner, or has expired. */
export const noResponse = (id: string) =>
  new AppError('not_found', `Response with id ${named(id)} not found.`, { vendorCode: 'response_not_found' });
export const noConversation = (id: string, param?: string) =>
  new AppError('not_found', `Conversation with id ${named(id)} not found.`, param ? { param } : {});
export const noItem = (id: string) => new AppError('not_found', `Item with id ${named(id)} not found.`);
export const noPrevious = (id: string) =>
  new AppError('invalid_value', `Previous response with id ${named(id)} not found.`, {
    param: 'previous_response_id',
    // By this clients know that they have to send everything once more.
    vendorCode: 'previous_response_not_found',
  });
