import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Jobs } from '../../platform/durable/jobs.ts';
import type { Owners } from '../../platform/durable/owners.ts';
import type { Keeping } from '../../platform/keeping/keeping.ts';
import type { Log } from '../../platform/log.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Owner } from './keeper.ts';
import type { Scope } from './store/tables.ts';

/** What keeping responses needs of the rest of the house. */
export interface ResponsesDeps {
  db: Db;
  owners: Pick<Owners, 'id'>;
  jobs: Jobs;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
  clock: Clock;
  sealer: Sealer;
  log: Log;
  keeping: Keeping;
  /** Days that something is kept after it was last built on; 0 keeps nothing. */
  keptDays(): number;
}

/** What was touched at this second or before is no longer kept; with 0 days, not even what comes in this second. */
export const keptSince = ({ clock, keptDays }: Pick<ResponsesDeps, 'clock' | 'keptDays'>): number =>
  keptDays() === 0 ? Number.MAX_SAFE_INTEGER : nowSeconds(clock) - keptDays() * 86_400;

export const scopeOf = (deps: Pick<ResponsesDeps, 'clock' | 'keptDays'>, { userId, keyId }: Owner): Scope => ({
  userId,
  keyId: keyId ?? 0,
  since: keptSince(deps),
});

/** For what makes no sense where nothing is kept. */
export function requireKeeping({ keptDays }: Pick<ResponsesDeps, 'keptDays'>, param: string): void {
  if (keptDays() > 0) return;
  throw new AppError('unsupported_parameter', 'This service keeps no responses and no conversations.', { param });
}

/** In paths and messages; whatever else a client sends is cut. */
const named = (id: string): string => `'${id.slice(0, 100)}'`;

/** The same words whether it never was, is somebody else's, or is no longer kept. */
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
