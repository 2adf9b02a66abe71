import { windowsOfBudgets } from '../billing/store/windows.ts';
import { type Clock, nowSeconds } from '../lib/clock.ts';
import { shareReached } from '../organisations/alert-thresholds.ts';
import { findBudgets } from '../organisations/store/budgets.ts';
import { namesOfOrganisations, organisationsLeft } from '../organisations/store/organisations.ts';
import { latestWarnings } from '../organisations/store/warnings.ts';
import type { OpenDb } from '../platform/db/open.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import { type Alert, alert, alertKinds } from './alert.ts';
import { type ChannelAlertDeps, channelAlerts } from './channel-alerts.ts';

export interface AlertDeps extends ChannelAlertDeps {
  database: Pick<OpenDb, 'damage'>;
  clock: Clock;
  jobs: Pick<Jobs, 'dead'>;
  catalog: Pick<Catalog, 'demo' | 'builtInActive'>;
}

/** Everything that is currently wrong, most urgent first. */
export async function findAlerts(deps: AlertDeps): Promise<Alert[]> {
  const found = await Promise.all([
    ...[channelAlerts(deps), budgetAlerts(deps), leftAlerts(deps), jobAlerts(deps.jobs)],
    ofService(deps),
  ]);
  return found.flat().toSorted((a, b) => alertKinds.indexOf(a.kind) - alertKinds.indexOf(b.kind));
}

function ofService({ database, catalog }: AlertDeps): Alert[] {
  const alerts: Alert[] = [];
  if (database.damage !== undefined) alerts.push(alert('database_damaged', 'error', { detail: database.damage }));
  if (catalog.demo === 'auto' && catalog.builtInActive()) alerts.push(alert('simulation', 'info'));
  return alerts;
}

/**
 * Only the last warnings are considered: there are as many budgets as keys, and a budget without a warning is below its
 * threshold.
 */
const mostWarnings = 100;

async function budgetAlerts({ db, clock }: AlertDeps): Promise<Alert[]> {
  const warnings = await latestWarnings(db, mostWarnings);
  const ids = [...new Set(warnings.map(({ budget_id }) => budget_id))];
  if (ids.length === 0) return [];
  const windows = new Map((await windowsOfBudgets(db, ids, nowSeconds(clock))).map((one) => [one.budgetId, one]));
  const budgets = await findBudgets(db, ids);
  const names = await namesOfOrganisations(db, [...new Set(budgets.map((one) => one.organisation_id))]);
  return budgets.flatMap((budget) => {
    const used = windows.get(budget.id)?.used ?? 0;
    const reached = shareReached(budget, used);
    if (reached === null) return [];
    const told = warnings.find((one) => one.budget_id === budget.id && one.share === reached);
    const { organisation_id: id, amount, hard, level, span } = budget;
    return alert('budget_used', hard === 1 && used >= amount ? 'error' : 'warning', {
      ...{ id, name: names.get(id) ?? null, share: amount === 0 ? 1 : used / amount, detail: `${level} ${span}` },
      since: told?.created_at ?? null,
    });
  });
}

/** Nobody reads a longer list at once. */
const mostLeft = 20;

async function leftAlerts({ db }: AlertDeps): Promise<Alert[]> {
  return (await organisationsLeft(db, mostLeft)).map(({ account_id: id, name }) =>
    alert('organisation_left', 'warning', { id, name }),
  );
}

async function jobAlerts(jobs: Pick<Jobs, 'dead'>): Promise<Alert[]> {
  return (await jobs.dead()).map(({ queue, jobs, sinceMs, error }) =>
    alert('jobs_failed', 'warning', {
      ...{ name: queue, count: jobs, detail: error, since: Math.floor(sinceMs / 1000) },
    }),
  );
}
