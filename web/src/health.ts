import { t } from './language/words.ts';

export interface Health {
  label: string;
  color: string;
}

/** Below this somebody should look; the badge and the rate beside it change colour together. */
const goodRate = 0.98;
const poorRate = 0.9;
const failingRate = 0.5;

const circuits: Record<string, Health> = {
  half_open: { label: t('Probing'), color: 'orange' },
  open: { label: t('Circuit open'), color: 'red' },
};

/**
 * How a provider is doing, in a word. A closed circuit alone says little: it stays closed while few requests come, though all
 * of them may fail. `samples` is how many were measured; without any the rate is an assumption.
 */
export function healthOf(circuit: string, successRate: number, samples: number): Health {
  if (circuit !== 'closed') return circuits[circuit] ?? { label: circuit, color: 'gray' };
  if (samples === 0) return { label: t('Not measured'), color: 'gray' };
  if (successRate < failingRate) return { label: t('Failing'), color: 'red' };
  return successRate < poorRate ? { label: t('Unsteady'), color: 'orange' } : { label: t('Healthy'), color: 'teal' };
}

export const rateColor = (rate: number): string => (rate < poorRate ? 'red' : rate < goodRate ? 'orange' : 'teal');
