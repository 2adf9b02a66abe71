import type { Result } from '../../api.ts';
import { t } from '../../language/words.ts';

export type Option = Result<'/api/admin/options', 'get'>[number];

const groups: { title: string; has: (key: string) => boolean }[] = [
  { title: t('Accounts'), has: (key) => /^(Registration|QuotaForNewUser|AdminSecondFactor)/.test(key) },
  { title: 'OAuth', has: (key) => key.startsWith('OAuth2') },
  { title: t('Limits'), has: (key) => /RateLimit/.test(key) },
  { title: t('Models and orchestration'), has: (key) => /^Ms[A-Z]|^DefaultModelPrice$/.test(key) },
  { title: t('Credits and kept answers'), has: (key) => /^(TopUp|ResponseCache)/.test(key) },
  { title: t('Records'), has: (key) => /Log(Days|Level)?$/.test(key) },
  { title: t('Other'), has: () => true },
];

/** Every option once, in the first group that takes it; new ones of the service show up under Other. */
export function groupedOptions(options: Option[]): { title: string; options: Option[] }[] {
  const groupOf = ({ key }: Option) => groups.find(({ has }) => has(key))?.title;
  return groups
    .map(({ title }) => ({ title, options: options.filter((option) => groupOf(option) === title) }))
    .filter((group) => group.options.length > 0);
}

/** `RateLimitOAuthToken` → `Rate limit OAuth token`; the key itself stands beside it. */
export function labelOf(key: string): string {
  const words = key
    .replace(/^OAuth2/, '')
    .replace(/^Ms/, '')
    .replace(/OAuth/g, ' OAuth ')
    .replace(/TTL$/, ' lifetime')
    .replace(/V1$/, ' /v1')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
    .split(/\s+/)
    .map((word) => (/^[A-Z][a-z]+$/.test(word) ? word.toLowerCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const units: [number, string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** 2,592,000 says little; "30 days" does. */
export function durationOf(seconds: number): string | undefined {
  const [size, name] = units.find(([length]) => seconds >= length) ?? [];
  if (!size) return undefined;
  const count = Math.round((seconds / size) * 10) / 10;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
