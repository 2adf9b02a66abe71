import type { Result } from '../../api.ts';
import { t } from '../../language/words.ts';

export type Credential = Result<'/api/admin/channels/{id}/credentials', 'get'>['credentials'][number];

/** Form state of a credential; numbers may be partially typed, and an empty limit means no limit. */
export interface CredentialFields {
  name: string;
  /** Empty: unchanged. */
  credential: string;
  weight: number | string;
  requestsPerMinute: number | string;
  tokensPerMinute: number | string;
  spendPerDay: number | string;
}

export type CredentialFaults = Partial<Record<keyof CredentialFields, string>>;

export const emptyCredential: CredentialFields = {
  name: '',
  credential: '',
  weight: 1,
  requestsPerMinute: '',
  tokensPerMinute: '',
  spendPerDay: '',
};

export const fieldsOf = (credential: Credential): CredentialFields => ({
  name: credential.name,
  credential: '',
  weight: credential.weight,
  requestsPerMinute: credential.requests_per_minute ?? '',
  tokensPerMinute: credential.tokens_per_minute ?? '',
  spendPerDay: credential.spend_per_day ?? '',
});

/** The smallest unit of money. */
const leastSpending = 0.000002;

/** Validation errors by field, matching the service's own checks. */
export function faultsOf(fields: CredentialFields, isNew: boolean): CredentialFaults {
  const faults: CredentialFaults = {};
  if (fields.name.trim() === '') faults.name = t('Enter a name.');
  if (isNew && fields.credential.trim() === '') faults.credential = t('Enter the key.');
  if (/\s/.test(fields.credential.trim())) faults.credential = t('A key cannot contain spaces.');
  if (fields.weight === '' || !(Number(fields.weight) >= 0)) faults.weight = t('Enter a number of 0 or more.');
  for (const name of ['requestsPerMinute', 'tokensPerMinute'] as const)
    if (fields[name] !== '' && !(Number(fields[name]) >= 1))
      faults[name] = t('Enter at least 1, or leave empty for no limit.');
  if (fields.spendPerDay !== '' && !(Number(fields.spendPerDay) >= leastSpending))
    faults.spendPerDay = t('Enter more than 0, or leave empty for no limit.');
  return faults;
}

const limitOf = (value: number | string): number | null => (value === '' ? null : Number(value));

export function bodyOf(fields: CredentialFields) {
  const credential = fields.credential.trim();
  return {
    name: fields.name.trim(),
    ...(credential && { credential }),
    weight: Number(fields.weight),
    requests_per_minute: limitOf(fields.requestsPerMinute),
    tokens_per_minute: limitOf(fields.tokensPerMinute),
    spend_per_day: limitOf(fields.spendPerDay),
  };
}

/** Summarizes the circuit breakers of its models. */
export function circuitOf(health: NonNullable<Credential['health']>): { label: string; color: string } {
  const { closed, half_open: testing, open } = health.circuits;
  const all = closed + testing + open;
  if (open === all && all > 0) return { label: t('Circuit open'), color: 'red' };
  if (open > 0)
    return {
      label: t('Circuit open for {open} of {all, plural, one {# model} other {# models}}', { open, all }),
      color: 'orange',
    };
  if (testing > 0) return { label: t('Being tested again'), color: 'yellow' };
  return { label: t('Circuit closed'), color: 'teal' };
}
