import type { Announcements } from '../identity/announcements.ts';
import type { Origins } from './origins.ts';
import type { Lookups } from './store/lookups.ts';

/* Messages to all processes when a grant or application changes (`Announcements`), for caches of paying tokens. */

/** All of a user's grants: a token of one application may have been exchanged by another. */
export const grantsTag = (userId: number): string => `grants:${userId}`;
export const applicationTag = (id: number): string => `application:${id}`;

/** After a change of an application: invalidates its cached state in every process. */
export async function announceApplicationChange(
  deps: {
    lookups: Pick<Lookups, 'forget'>;
    origins: Pick<Origins, 'changed'>;
    announcements: Pick<Announcements, 'changed'>;
  },
  id: number,
): Promise<void> {
  deps.lookups.forget();
  await deps.origins.changed();
  await deps.announcements.changed(applicationTag(id));
}
