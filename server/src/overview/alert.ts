/** What an administrator should look at, the urgent ones first. */
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
  /** Of the channel or the organisation; of one that was left, of the user that stands for it. */
  id: number | null;
  /** Of the channel, the organisation or the queue. */
  name: string | null;
  provider: string | null;
  /** Models, requests or jobs; the status with which a credential was refused. */
  count: number | null;
  /** Of requests that succeeded, or of a budget that is used. */
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
