import type { Announcements } from '../identity/announce.ts';
import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import { redirectUrisInUse } from './store/applications.ts';

/** Where registered applications live: the origins of their redirect URIs, in memory. */
export interface Origins {
  has(origin: string): boolean | Promise<boolean>;
  /** Must follow every change of an application; tells the other processes too. */
  changed(): Promise<void>;
}

const tag = 'applications';
/** How long what was read is believed while changes may go unheard. */
const unheardMs = 1_000;

export function openOrigins({
  db,
  clock,
  hearing,
  announcements,
}: {
  db: Db;
  clock: Clock;
  hearing: Pick<Hearing, 'heard'>;
  announcements: Announcements;
}): Origins {
  let kept: ReadonlySet<string> | null = null;
  let readMs = 0;
  let reading: Promise<ReadonlySet<string>> | null = null;
  const forget = () => {
    kept = null;
    reading = null;
  };
  announcements.onChanged((changed) => {
    if (changed === tag) forget();
  }, forget);

  /** One reading for all who ask meanwhile; what was changed while it ran is not kept. */
  const read = (): Promise<ReadonlySet<string>> => {
    if (reading) return reading;
    const startedMs = clock.steadyMs();
    const mine = redirectUrisInUse(db).then(originsIn);
    reading = mine;
    const finish = (found: ReadonlySet<string> | null) => {
      if (reading !== mine) return;
      reading = null;
      kept = found;
      readMs = startedMs;
    };
    mine.then(finish, () => finish(null));
    return mine;
  };

  return {
    has: (origin) => {
      if (kept && (hearing.heard() || clock.steadyMs() - readMs < unheardMs)) return kept.has(origin);
      return read().then((found) => found.has(origin));
    },
    changed: () => announcements.changed(tag),
  };
}

/** Native applications have addresses of their own kind, which are no origin of a page. */
function originsIn(lists: string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const list of lists)
    for (const uri of JSON.parse(list) as string[]) {
      const url = URL.parse(uri);
      if (url?.protocol === 'https:' || url?.protocol === 'http:') found.add(url.origin);
    }
  return found;
}
