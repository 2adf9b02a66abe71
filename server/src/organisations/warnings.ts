import type { OpenBudget } from '../billing/levels.ts';
import { markWarned, type WindowState, windowStates } from '../billing/store/windows.ts';
import type { MailKind, Mails } from '../identity/mails/mail-texts.ts';
import { verifiedReader } from '../identity/mails/reader.ts';
import { notifyUser } from '../identity/notices.ts';
import { findKeyById } from '../identity/store/keys.ts';
import { accountNamesOf } from '../identity/store/names.ts';
import { nowSeconds } from '../lib/clock.ts';
import { signPayload } from '../lib/hashing.ts';
import { WriteBehind } from '../platform/durable/batch.ts';
import { shareReached } from './alert-thresholds.ts';
import type { OrganisationsContext } from './context.ts';
import { findBudgets } from './store/budgets.ts';
import { listMembers } from './store/members.ts';
import { findOrganisation } from './store/organisations.ts';
import type { BudgetRow, OrganisationRow, WarningRow } from './store/tables.ts';
import { findTeam } from './store/teams.ts';
import { insertWarning } from './store/warnings.ts';

const lookMs = 1_000;
const timeoutMs = 10_000;
/** Per organisation; with more administrators, somebody reads the page. */
const mostMails = 20;

/**
 * Checks budgets shortly after a charge, and sends each threshold's alert once per window: the process that marks the
 * row sends it. Page notices are written with the mark; mail and webhook are tried once.
 */
export class Warnings {
  readonly #touched = new Set<number>();
  readonly #behind: WriteBehind;
  readonly #telling = new Set<Promise<void>>();

  constructor(readonly room: OrganisationsContext) {
    this.#behind = new WriteBehind({
      everyMs: lookMs,
      write: () => this.#look(),
      failed: (error) => room.log.warn({ error }, 'budgets could not be checked'),
    });
  }

  /** Never throws. */
  charged(budgets: readonly Pick<OpenBudget, 'windowId'>[]): void {
    for (const { windowId } of budgets) this.#touched.add(windowId);
    if (this.#touched.size > 0) this.#behind.soon();
  }

  async #look(): Promise<void> {
    // Cleared before reading: later charges are checked again.
    const ids = [...this.#touched];
    this.#touched.clear();
    try {
      const states = await windowStates(this.room.db, ids);
      if (states.length === 0) return;
      const rows = await findBudgets(this.room.db, [...new Set(states.map(({ budgetId }) => budgetId))]);
      const budgets = new Map(rows.map((row) => [row.id, row]));
      for (const state of states) await this.#compare(state, budgets.get(state.budgetId));
    } catch (error) {
      for (const id of ids) this.#touched.add(id);
      throw error;
    }
  }

  async #compare(state: WindowState, budget: BudgetRow | undefined): Promise<void> {
    // Deleted meanwhile.
    if (!budget) return;
    const share = shareReached(budget, state.used);
    if (share === null || share <= state.warned) return;
    const warning: Omit<WarningRow, 'id'> = {
      ...{ organisation_id: budget.organisation_id, budget_id: budget.id, level: budget.level },
      ...{ level_id: budget.level_id, span: budget.span, share, used: state.used, amount: budget.amount },
      ...{ starts_at: state.startsAt, created_at: nowSeconds(this.room.clock) },
    };
    const first = await this.room.db.transaction().execute(async (tx) => {
      if (!(await markWarned(tx, state.id, share))) return false;
      await insertWarning(tx, warning);
      return true;
    });
    if (!first) return;
    const telling: Promise<void> = this.#tell(warning, budget.hard === 1, state.endsAt)
      .catch((error) => this.room.log.warn({ error, budgetId: budget.id }, 'a budget alert could not be sent'))
      .finally(() => {
        this.#telling.delete(telling);
      });
    this.#telling.add(telling);
  }

  async #tell(warning: Omit<WarningRow, 'id'>, hard: boolean, endsAt: number): Promise<void> {
    const organisation = await findOrganisation(this.room.db, warning.organisation_id);
    if (!organisation) return;
    await Promise.all([
      postWebhook(this.room, organisation, warning, { hard, endsAt }),
      tell(this.room, organisation, warning, hard),
    ]);
  }

  async stop(): Promise<void> {
    await this.#behind.stop();
    if (this.#telling.size > 0) await Promise.race([Promise.all(this.#telling), Bun.sleep(timeoutMs)]);
  }
}

type Told = Omit<WarningRow, 'id'>;

/** Notifies the organisation's managers, the key's owner, or the user with a personal limit. */
function tell(room: OrganisationsContext, organisation: OrganisationRow, told: Told, hard: boolean): Promise<void> {
  const { keys_of, person_id } = organisation;
  if (person_id !== null) return tellPerson(room, person_id, told, hard);
  return keys_of === null ? mailManagers(room, organisation, told, hard) : mailOwner(room, keys_of, told, hard);
}

/** As shown in mails and notices. */
const spentOf = ({ share, used, amount, span }: Told, hard: boolean) => ({
  ...{ share: share / 1000, used, amount, window: span, hard },
});

const tellPerson = (room: OrganisationsContext, userId: number, told: Told, hard: boolean): Promise<void> =>
  notifyUser(room, userId, 'spending', spentOf(told, hard));

/** Signed like applications' webhooks. For a personal limit it names the user. */
async function postWebhook(
  room: OrganisationsContext,
  { id, person_id, webhook_url, webhook_secret }: OrganisationRow,
  { level, level_id, span, share, used, amount, budget_id, created_at }: Told,
  { hard, endsAt }: { hard: boolean; endsAt: number },
): Promise<void> {
  if (webhook_url === '') return;
  const event = 'budget_warning';
  const whose = person_id === null ? { organisation_id: id } : { user_id: person_id };
  const place = person_id === null ? { budget_id, level, level_id } : {};
  const data = { ...place, window: span, share: share / 1000, used, amount, hard };
  const payload = { event, ...whose, timestamp: created_at, data: { ...data, resets_at: endsAt || null } };
  const body = JSON.stringify(payload);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1.0',
    'x-svc-event': event,
    'x-svc-timestamp': `${created_at}`,
    'x-svc-signature': signPayload(room.sealer.open(webhook_secret), body, created_at),
  };
  try {
    const request = { url: webhook_url, method: 'POST', headers, body, timeoutMs };
    const answer = await room.send(request, { allowPrivate: room.allowPrivate });
    if (answer.status >= 300) room.log.warn({ organisationId: id, status: answer.status }, 'webhook was not accepted');
  } catch (error) {
    room.log.warn({ organisationId: id, error }, 'webhook was not delivered');
  }
}

/** The name of what the budget applies to, or its id if it is gone. */
async function nameOf(
  { db }: OrganisationsContext,
  organisation: OrganisationRow,
  { level, level_id }: Told,
): Promise<string> {
  const found = async (): Promise<string | undefined> => {
    if (level === 'organisation') return organisation.name;
    if (level === 'team') return (await findTeam(db, organisation.id, level_id))?.name;
    if (level === 'key') return (await findKeyById(db, level_id))?.name;
    return (await accountNamesOf(db, [level_id])).get(level_id);
  };
  return (await found()) ?? `${level_id}`;
}

/** To owners and administrators. */
async function mailManagers(
  room: OrganisationsContext,
  organisation: OrganisationRow,
  told: Told,
  hard: boolean,
): Promise<void> {
  if (!room.mailer) return;
  const { id, name } = organisation;
  const managers = (await listMembers(room.db, id)).filter(({ role }) => role === 'owner' || role === 'admin');
  const about = {
    organisation: name,
    organisationId: id,
    level: told.level,
    name: await nameOf(room, organisation, told),
  };
  for (const { user_id } of managers.slice(0, mostMails))
    await mailTo(room, user_id, 'budget', { ...about, ...spentOf(told, hard) });
}

/** To the owner of a key outside organisations. */
async function mailOwner(room: OrganisationsContext, userId: number, told: Told, hard: boolean): Promise<void> {
  const key = await findKeyById(room.db, told.level_id);
  if (key) await mailTo(room, userId, 'key_limit', { key: key.name, ...spentOf(told, hard) });
}

/** Only to verified addresses. */
async function mailTo<K extends MailKind>(
  room: OrganisationsContext,
  userId: number,
  kind: K,
  about: Mails[K],
): Promise<void> {
  const reader = await verifiedReader(room.db, userId);
  if (!room.mailer || !reader) return;
  await room.mailer
    .send(reader, kind, about)
    .catch((error) => room.log.warn({ error }, 'a budget alert could not be emailed'));
}
