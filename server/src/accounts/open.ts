import { z } from 'zod';
import type { Batches } from '../batches/open.ts';
import * as billing from '../billing/store/account-data.ts';
import type { AccountDeps } from '../identity/accounts.ts';
import { forgetInAudit } from '../identity/audit/account-data-store.ts';
import * as identity from '../identity/store/account-data.ts';
import type { Mcp } from '../mcp/open.ts';
import type { OAuth } from '../oauth/open.ts';
import * as oauth from '../oauth/store/account-data.ts';
import type { Autonomous } from '../orchestra/autonomous/open.ts';
import type { Orchestra } from '../orchestra/open.ts';
import * as orchestra from '../orchestra/store/account-data.ts';
import type { Organisations } from '../organisations/open.ts';
import { endedQueue } from '../organisations/organisations.ts';
import { organisationOfAccount } from '../organisations/store/organisations.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Route } from '../platform/http/route.ts';
import * as requests from '../platform/idempotency/store.ts';
import type { Log } from '../platform/log.ts';
import type { OpenStorageQuota } from '../platform/storage-quota/storage-quota.ts';
import type { Playground } from '../playground/open.ts';
import type { KeptResponses } from '../relay/responses/open.ts';
import type { KeptContents } from '../requests/contents/open.ts';
import * as routing from '../routing/store/account-data.ts';
import type { TopUps } from '../topups/open.ts';
import type { Video } from '../video/open.ts';
import * as video from '../video/store-account-data.ts';
import type { AccountData, AccountDataDeps } from './deps.ts';
import { deletionQueue, forgetEverywhere, forgetInModules } from './forget.ts';
import { accountDataRoutes } from './routes.ts';
import { storedByCategory, sumOf } from './stored-by-category.ts';
import { storedDataRoutes } from './stored-data-routes.ts';

export interface AccountsDeps {
  accounts: AccountDeps;
  jobs: Jobs;
  log: Log;
  oauth: Pick<OAuth, 'forgetUser'>;
  orchestra: Pick<Orchestra, 'deps'>;
  autonomous: Pick<Autonomous, 'control'>;
  video: Pick<Video, 'forgetUser'>;
  responses: Pick<KeptResponses, 'exportOf' | 'forgetUser'>;
  contents: Pick<KeptContents, 'exportOf' | 'forgetUser'>;
  batches: Pick<Batches, 'exportOf' | 'forgetUser'>;
  mcp: Pick<Mcp, 'exportOf' | 'forgetUser'>;
  topUps: Pick<TopUps, 'exportOf' | 'forgetUser'>;
  playground: Pick<Playground, 'exportOf' | 'forgetUser'>;
  organisations: Pick<Organisations, 'exportOf' | 'forgetUser' | 'requirePerson'>;
  storage: Pick<OpenStorageQuota, 'countBy' | 'recount' | 'forget' | 'mostBytes'>;
}

const work = { concurrency: 1 };
const responsesQueue = 'accounts.responses';
const workData = z.object({ userId: z.number().int() });

/** Export and deletion of a user, composed of what each room provides. Call before the jobs are started. */
export function openAccounts(given: AccountsDeps): { routes: Route[] } {
  const { accounts, jobs, log } = given;
  const deps: AccountDataDeps = {
    accounts,
    jobs,
    log,
    rooms: roomsOf(given),
    requirePerson: given.organisations.requirePerson,
    mostBytes: given.storage.mostBytes,
    deleteResponses: async (userId) => {
      await jobs.enqueue(responsesQueue, { userId }, { key: `${userId}` });
    },
  };
  jobs.work(deletionQueue, work, async (job) => {
    await forgetEverywhere(deps, workData.parse(job.data).userId, job.signal);
  });
  jobs.work(endedQueue, work, async (job) => {
    const { userId } = workData.parse(job.data);
    // The deletion was scheduled, but then cancelled.
    if ((await organisationOfAccount(accounts.db, userId)) !== null) return;
    await forgetInModules(deps, userId, job.signal);
  });
  jobs.work(responsesQueue, work, async (job) => {
    const { userId } = workData.parse(job.data);
    await given.responses.forgetUser(userId);
    await given.storage.recount(userId);
  });
  given.storage.countBy(async (userId) => sumOf(await storedByCategory(accounts.db, userId)));
  return { routes: [...accountDataRoutes(deps), ...storedDataRoutes(deps)] };
}

function roomsOf(given: AccountsDeps): Record<string, AccountData> {
  const { db } = given.accounts;
  return {
    // Access was revoked before; what is left here is the audit log.
    identity: {
      exportOf: (userId) => identity.exportOf(db, userId),
      forget: (userId) => forgetInAudit(db, userId),
    },
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
    requests: { exportOf: (userId) => requests.exportOf(db, userId), forget: (userId) => requests.forget(db, userId) },
    responses: { exportOf: given.responses.exportOf, forget: given.responses.forgetUser },
    contents: { exportOf: given.contents.exportOf, forget: given.contents.forgetUser },
    batches: { exportOf: given.batches.exportOf, forget: given.batches.forgetUser },
    mcp: { exportOf: given.mcp.exportOf, forget: given.mcp.forgetUser },
    topups: { exportOf: given.topUps.exportOf, forget: given.topUps.forgetUser },
    playground: { exportOf: given.playground.exportOf, forget: given.playground.forgetUser },
    organisations: { exportOf: given.organisations.exportOf, forget: given.organisations.forgetUser },
    video: { exportOf: (userId) => video.exportOf(db, userId), forget: (userId) => given.video.forgetUser(userId) },
    billing: { exportOf: (userId) => billing.exportOf(db, userId), forget: (userId) => billing.forget(db, userId) },
    // After the rooms that store something, so that the count is deleted last.
    kept: { exportOf: () => ({}), forget: given.storage.forget },
  };
}
