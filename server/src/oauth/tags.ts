import type { Announcements } from '../identity/announce.ts';
import type { Origins } from './origins.ts';
import type { Lookups } from './store/lookups.ts';

/*
 * What is said to every process when a grant or an application changes (`Announcements`), for those that keep tokens which pay.
 */

/** Of whatever a user gave applications: what one of them was given may have been exchanged by another. */
export const grantsTag = (userId: number): string => `grants:${userId}`;
export const applicationTag = (id: number): string => `application:${id}`;

/** After an application was changed: what was known of it counts no more, in any process. */
export async function tellOfApplication(
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
