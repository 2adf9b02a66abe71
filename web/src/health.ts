import { t } from './language/words.ts';

export interface Health {
  label: string;
  color: string;
}

/** Below this rate the provider needs attention. The badge and the rate next to it change colour at the same value. */
const goodRate = 0.98;
const poorRate = 0.9;
const failingRate = 0.5;

const circuits: Record<string, Health> = {
  half_open: { label: t('Probing'), color: 'orange' },
  open: { label: t('Circuit open'), color: 'red' },
};

/**
 * Summarises a provider's health. A closed circuit alone proves little: with few requests it stays closed even if all
 * of them fail. `samples` is the number of measured requests; with none, the rate is an assumption.
 */
export function healthOf(circuit: string, successRate: number, samples: number): Health {
  if (circuit !== 'closed') return circuits[circuit] ?? { label: circuit, color: 'gray' };
  if (samples === 0) return { label: t('Not measured'), color: 'gray' };
  if (successRate < failingRate) return { label: t('Failing'), color: 'red' };
  return successRate < poorRate ? { label: t('Unstable'), color: 'orange' } : { label: t('Healthy'), color: 'teal' };
}

export const rateColor = (rate: number): string => (rate < poorRate ? 'red' : rate < goodRate ? 'orange' : 'teal');
