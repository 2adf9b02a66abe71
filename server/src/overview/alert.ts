/** What needs an administrator's attention, most urgent first. */
export const alertKinds = [
  'database_damaged',
  'credential_unreadable',
  'credential_refused',
  'circuit_open',
  'channel_failing',
  'budget_used',
  'organisation_left',
  'jobs_failed',
  'simulation',
] as const;

export interface Alert {
  kind: (typeof alertKinds)[number];
  severity: 'error' | 'warning' | 'info';
  /** Id of the channel or organisation; if the organisation was deleted, of the user that represented it. */
  id: number | null;
  /** Name of the channel, organisation or queue. */
  name: string | null;
  provider: string | null;
  /** Number of models, requests or jobs; or the status with which a credential was refused. */
  count: number | null;
  /** Share of successful requests, or of a budget in use. */
  share: number | null;
  /** A model, the level and window of a budget, or the last error. */
  detail: string | null;
  /** Unix seconds. */
  since: number | null;
}

const nothing = { id: null, name: null, provider: null, count: null, share: null, detail: null, since: null };

export const alert = (kind: Alert['kind'], severity: Alert['severity'], more: Partial<Alert> = {}): Alert => ({
  ...nothing,
  ...more,
  kind,
  severity,
});
