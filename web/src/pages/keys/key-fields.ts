import type { Result } from '../../api.ts';
import { quotaOfUsd, usdOfQuota } from '../../format.ts';
import { t } from '../../language/words.ts';

export type ApiKey = Result<'/api/tokens', 'get'>[number];

/** Form state of a key. */
export interface KeyFields {
  name: string;
  /** Days from now, `never`, or `date` for the day in `date`. */
  expiry: string;
  date: string;
  unlimited: boolean;
  usd: number | string;
  models: string[];
  ips: string[];
  /** Cache lifetime of an answer to the same request: seconds, or `off`. */
  cache: string;
  /** Also cache requests whose temperature is not 0. */
  cacheAny: boolean;
}

export type KeyFaults = Partial<Record<'name' | 'date' | 'usd' | 'ips', string>>;

export const expiryChoices = [
  { value: 'never', label: t('Never') },
  { value: '7', label: t('In 7 days') },
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In a year') },
  { value: 'date', label: t('On a date…') },
];

const cacheTimes = [
  { value: 'off', label: t('No') },
  { value: '300', label: t('For 5 minutes') },
  { value: '3600', label: t('For an hour') },
  { value: '86400', label: t('For a day') },
];

/** Includes the key's current lifetime, which may be another one set through the API. */
export const cacheChoices = (current: string) =>
  cacheTimes.some(({ value }) => value === current)
    ? cacheTimes
    : [
        ...cacheTimes,
        {
          value: current,
          label: t('For {seconds, plural, one {# second} other {# seconds}}', { seconds: Number(current) }),
        },
      ];

export const emptyKey: KeyFields = {
  name: '',
  expiry: 'never',
  date: '',
  unlimited: true,
  usd: '',
  models: [],
  ips: [],
  cache: 'off',
  cacheAny: false,
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The day in the user's time zone, as date inputs expect it. */
export function localDay(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export function fieldsOf(key: ApiKey): KeyFields {
  const expires = key.expired_time > 0;
  return {
    name: key.name,
    expiry: expires ? 'date' : 'never',
    date: expires ? localDay(key.expired_time) : '',
    unlimited: key.unlimited_quota,
    usd: key.unlimited_quota ? '' : usdOfQuota(key.remain_quota),
    models: key.models,
    ips: key.allowed_ips,
    cache: key.cache ? String(key.cache.ttl_seconds) : 'off',
    cacheAny: key.cache?.when === 'any',
  };
}

/** A key with an expiry date is valid until the end of that day in the user's time zone. */
const endOfLocalDay = (day: string): number => Math.floor(new Date(`${day}T23:59:59`).getTime() / 1000);

function expiryOf({ expiry, date }: KeyFields, nowSeconds: number): number {
  if (expiry === 'never') return -1;
  return expiry === 'date' ? endOfLocalDay(date) : nowSeconds + Number(expiry) * 86_400;
}

/** Roughly an IP address or CIDR block; the service validates it fully. */
const looksLikeAddress = (text: string): boolean => /^[0-9a-fA-F:.]+(\/\d{1,3})?$/.test(text) && /[.:]/.test(text);

export function faultsOf(fields: KeyFields, nowSeconds: number): KeyFaults {
  const faults: KeyFaults = {};
  const name = fields.name.trim();
  if (name === '') faults.name = t('Give the key a name.');
  if (name.length > 50) faults.name = t('Use at most 50 characters.');
  if (fields.expiry === 'date') {
    const at = endOfLocalDay(fields.date);
    if (!(at > nowSeconds)) faults.date = fields.date ? t('This date is in the past.') : t('Choose a day.');
  }
  if (!fields.unlimited && (fields.usd === '' || !(Number(fields.usd) >= 0))) {
    faults.usd = t('Enter how much the key may spend.');
  }
  const wrong = fields.ips.find((text) => !looksLikeAddress(text));
  if (wrong) faults.ips = t('{address} is not an IP address or a range such as 10.0.0.0/8.', { address: wrong });
  return faults;
}

const cacheOf = ({ cache, cacheAny }: KeyFields) =>
  cache === 'off'
    ? null
    : { ttl_seconds: Number(cache), when: cacheAny ? ('any' as const) : ('temperature_0' as const) };

export function bodyOf(fields: KeyFields, nowSeconds: number) {
  return {
    name: fields.name.trim(),
    expired_time: expiryOf(fields, nowSeconds),
    remain_quota: fields.unlimited ? 0 : quotaOfUsd(Number(fields.usd)),
    unlimited_quota: fields.unlimited,
    models: fields.models,
    allowed_ips: fields.ips,
    cache: cacheOf(fields),
  };
}

/**
 * Only the changed fields: the key may spend while the form is open, so an untouched limit must not be written back.
 */
export function changesOf(before: KeyFields, after: KeyFields, nowSeconds: number): Partial<ReturnType<typeof bodyOf>> {
  const body = bodyOf(after, nowSeconds);
  const same = (...names: (keyof KeyFields)[]) =>
    names.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
  return {
    ...(!same('name') && { name: body.name }),
    ...(!same('expiry', 'date') && { expired_time: body.expired_time }),
    ...(!same('unlimited') && { unlimited_quota: body.unlimited_quota }),
    ...(!same('unlimited', 'usd') && !after.unlimited && { remain_quota: body.remain_quota }),
    ...(!same('models') && { models: body.models }),
    ...(!same('ips') && { allowed_ips: body.allowed_ips }),
    ...(!same('cache', 'cacheAny') && { cache: body.cache }),
  };
}
