import { z } from 'zod';
import * as billing from '../billing/store/person.ts';
import type { AccountDeps } from '../identity/accounts.ts';
import * as identity from '../identity/store/person.ts';
import type { OAuth } from '../oauth/open.ts';
import * as oauth from '../oauth/store/person.ts';
import type { Autonomous } from '../orchestra/autonomous/open.ts';
import type { Orchestra } from '../orchestra/open.ts';
import * as orchestra from '../orchestra/store/person.ts';
import type { Route } from '../platform/http/route.ts';
import type { Jobs } from '../platform/jobs/port.ts';
import type { Log } from '../platform/log.ts';
import * as routing from '../routing/store/person.ts';
import type { Video } from '../video/open.ts';
import * as video from '../video/store-person.ts';
import type { PersonDeps, PersonRoom } from './deps.ts';
import { forgetEverywhere, forgetQueue } from './forget.ts';
import { personRoutes } from './routes.ts';

export interface PersonRooms {
  accounts: AccountDeps;
  jobs: Jobs;
  log: Log;
  oauth: Pick<OAuth, 'forgetUser'>;
  orchestra: Pick<Orchestra, 'deps'>;
  autonomous: Pick<Autonomous, 'control'>;
  video: Pick<Video, 'forgetUser'>;
}

const work = { concurrency: 1, leaseMs: 60_000 };
const workData = z.object({ userId: z.number().int() });

/** Export and deletion of a user, composed of what each room knows. Call before the jobs are started. */
export function openPerson(given: PersonRooms): { routes: Route[] } {
  const { accounts, jobs, log } = given;
  const deps: PersonDeps = { accounts, jobs, log, rooms: roomsOf(given) };
  jobs.work(forgetQueue, work, async (job) => {
    await forgetEverywhere(deps, workData.parse(job.data).userId, job.signal);
  });
  return { routes: personRoutes(deps) };
}

function roomsOf(given: PersonRooms): Record<string, PersonRoom> {
  const { db } = given.accounts;
  return {
    // Its own forgetting comes first and is no part of the list: it ends every way in.
    identity: { exportOf: (userId) => identity.exportOf(db, userId), forget: async () => {} },
    oauth: {
      exportOf: (userId) => oauth.exportOf(db, userId),
      forget: (userId) => given.oauth.forgetUser(userId),
    },
    routing: { exportOf: (userId) => routing.exportOf(db, userId), forget: (userId) => routing.forget(db, userId) },
    orchestra: {
      exportOf: (userId) => orchestra.exportOf(db, userId),
      forget: async (userId) => {
        for (const sessionId of await orchestra.runningSessionsOf(db, userId))
          await given.autonomous.control.cancel(userId, sessionId, 'The account was deleted.').catch(() => {});
        await orchestra.forget(db, userId);
        given.orchestra.deps.near.forget(userId);
      },
    },
    video: { exportOf: (userId) => video.exportOf(db, userId), forget: (userId) => given.video.forgetUser(userId) },
    billing: { exportOf: (userId) => billing.exportOf(db, userId), forget: (userId) => billing.forget(db, userId) },
  };
}
