import { formatPercent } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import type { Option } from './option-groups.ts';

const quotaPerUsd = 500_000;

/** How a number is displayed: prefix, suffix, decimals, and how many stored units make one displayed unit. */
export interface Shape {
  prefix?: string;
  suffix?: string;
  factor: number;
  decimals: number;
}

const shapes: [has: (key: string) => boolean, shape: Partial<Shape>][] = [
  [(key) => key === 'QuotaForNewUser', { prefix: '$', factor: quotaPerUsd, decimals: 6 }],
  [(key) => key === 'DefaultModelPrice', { prefix: '$', suffix: t(' / M tokens'), decimals: 6 }],
  [
    (key) => key === 'BatchPriceFactor' || key === 'OwnKeyFee',
    { suffix: formatPercent(''), factor: 0.01, decimals: 2 },
  ],
  [(key) => key.startsWith('RateLimit'), { suffix: t(' / minute') }],
  [(key) => key.endsWith('Days'), { suffix: t(' days') }],
  [(key) => key.endsWith('Mebibytes'), { suffix: ' MiB' }],
];

export const shapeOf = (key: string): Shape => ({
  factor: 1,
  decimals: 0,
  ...shapes.find(([has]) => has(key))?.[1],
});

/**
 * Converts typed input to the stored unit, without binary rounding errors. If a displayed unit is more than one stored
 * unit, the result is an integer.
 */
export const storedOf = ({ factor }: Shape, typed: number): number =>
  factor > 1 ? Math.round(typed * factor) : Number((typed * factor).toPrecision(12));
export const shownOf = ({ factor }: Shape, value: number): number => Number((value / factor).toPrecision(12));

export const isDuration = (key: string): boolean => key.endsWith('TTL');

export const timeUnits = [
  { value: '1', label: t('seconds') },
  { value: '60', label: t('minutes') },
  { value: '3600', label: t('hours') },
  { value: '86400', label: t('days') },
];

/** The largest unit that divides the value: hours for 7,200 seconds, seconds for 90. */
export const unitOf = (seconds: number): number =>
  Number(timeUnits.findLast(({ value }) => seconds > 0 && seconds % Number(value) === 0)?.value ?? 1);

/** Removes the stored unit from the description, because the input shows another one. */
export const helpOf = ({ description }: Pick<Option, 'description'>): string =>
  serverText(description)
    .replace(/, seconds$/, '')
    .replace(/; 0\.\d+ is (?:half|\d+ %)$/, '')
    .replace(/, in quota \([\w ,.$=]{0,100}\)$/, '');
