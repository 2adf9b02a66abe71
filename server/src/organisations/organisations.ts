import { spans } from '../billing/levels.ts';
import { moveWindow } from '../billing/store/windows.ts';
import type { Origin } from '../identity/audit/log.ts';
import { noPassword } from '../identity/passwords.ts';
import { insertUser, renameAccount } from '../identity/store/users.ts';
import { newOrganisationUsername, roles } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import { inTurn } from '../platform/db/with-lock.ts';
import type { TeamApplications } from './applications.ts';
import { windowAt } from './calendar.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import type { Membership } from './membership.ts';
import { holdBudget, listBudgets } from './store/budgets.ts';
import {
  changeOrganisation,
  countOrganisations,
  deleteOrganisation,
  insertOrganisation,
  type OrganisationChange,
  organisationOfAccount,
} from './store/organisations.ts';
import type { OrganisationRow } from './store/tables.ts';

/** Stops runaway scripts. */
const mostOrganisations = 50;

export const balances = ['own', 'shared'] as const;

export interface NewOrganisation {
  name: string;
  time_zone: string;
  balance: (typeof balances)[number];
}

export const newSecret = (): string => `svcwh_${randomString(48)}`;

/**
 * Its account is a user without password, whose name contains a character that user names cannot have: everything a
 * user has (balance, ledger, keys) belongs to the organisation through it, and outlives every member.
 */
export async function createOrganisation(
  room: OrganisationsContext,
  ownerId: number,
  input: NewOrganisation,
): Promise<OrganisationRow> {
  const created_at = nowSeconds(room.clock);
  return inTurn(room.db, 'organisations', ownerId, async (tx) => {
    if ((await countOrganisations(tx, ownerId)) >= mostOrganisations)
      throw new AppError('conflict', `You have reached the limit of ${mostOrganisations} organisations.`);
    const account = await insertUser(tx, {
      ...{ username: newOrganisationUsername(), password_hash: noPassword() },
      ...{ display_name: input.name, email: '', role: roles.user, quota: 0, created_at },
    });
    const webhook_secret = room.sealer.seal(newSecret());
    return insertOrganisation(tx, { ...input, account_id: account!.id, webhook_secret, created_at }, ownerId);
  });
}

export type OrganisationInput = Partial<NewOrganisation> & { webhook_url?: string | undefined };

export async function updateOrganisation(
  room: OrganisationsContext,
  { organisation }: Membership,
  input: OrganisationInput,
): Promise<OrganisationRow> {
  const change = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as OrganisationChange;
  const row = await room.db.transaction().execute(async (tx) => {
    // Changes nothing but locks it: another call may have changed its time zone since it was read.
    const previous = await changeOrganisation(tx, organisation.id, {});
    const changed = previous && (await changeOrganisation(tx, organisation.id, change));
    if (!changed) throw noOrganisation();
    // Accounts are shown under this name.
    if (input.name !== undefined) await renameAccount(tx, changed.account_id, changed.name);
    if (changed.time_zone !== previous.time_zone) {
      const now = nowSeconds(room.clock);
      for (const budget of await listBudgets(tx, organisation.id)) {
        const span = spans.find((name) => name === budget.span)!;
        const [before, after] = [previous, changed].map(({ time_zone }) => windowAt(time_zone, span, now));
        await holdBudget(tx, budget.id);
        await moveWindow(tx, budget.id, before!, after!);
      }
    }
    return changed;
  });
  await room.announcements.changed(organisationTag(organisation.id));
  return row;
}

export const noOrganisation = () => new AppError('not_found', 'There is no such organisation.');

/** Shown to owners, newly generated each time: a secret seen by a former owner becomes useless. */
export async function rotateWebhookSecret(room: OrganisationsContext, { organisation }: Membership): Promise<string> {
  const secret = newSecret();
  const change = { webhook_secret: room.sealer.seal(secret) };
  if (!(await changeOrganisation(room.db, organisation.id, change))) throw noOrganisation();
  return secret;
}

/** Jobs that delete what was stored for the account of a deleted organisation. */
export const endedQueue = 'organisations.ended';
/** Answers in progress when an organisation ends may still be stored. */
const secondPassMs = 15 * 60_000;
/** Attempts with doubling delays, for hours of database downtime. */
const maxAttempts = 20;

/**
 * Its keys, its applications and their data end with it. Its balance stays with its account, for the operator to
 * decide. Of concurrent calls, only one gets true.
 */
export async function endOrganisation(
  room: OrganisationsContext,
  { organisation, userId }: Pick<Membership, 'organisation' | 'userId'>,
  applications: Pick<TeamApplications, 'end'>,
  origin: Origin,
): Promise<boolean> {
  const { id, account_id: accountId } = organisation;
  const end = () => applications.end(accountId, { userId, origin });
  const forget = (key: string, delayMs: number) =>
    room.jobs.enqueue(endedQueue, { userId: accountId }, { key, delayMs, maxAttempts });
  // Before, so that a crash in between leaves nothing unmanageable; and again after, for what was given to a team
  // meanwhile.
  await end();
  await forget(`${accountId}-again`, secondPassMs);
  const hasEnded = await deleteOrganisation(room.db, id);
  await room.announcements.changed(organisationTag(id));
  await forget(`${accountId}`, 0);
  await end();
  return hasEnded;
}

/** An organisation's account is not a person, and cannot be deleted before the organisation. */
export async function requirePerson({ db }: Pick<OrganisationsContext, 'db'>, userId: number): Promise<void> {
  if ((await organisationOfAccount(db, userId)) !== null)
    throw new AppError(
      'conflict',
      'This user represents an organisation. Its owner must delete the organisation instead.',
    );
}
