import { formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { durationOf, type Option } from './option-groups.ts';

type Value = Option['value'];

const day = 86_400;
/** Giving every new user more than a hundred dollars is probably a mistake. */
const generousQuota = 50_000_000;
/** RFC 6749 §4.1.2 recommends at most ten minutes. */
const longestCode = 600;

const lasts = (value: Value): string => durationOf(Number(value));

/** Values that need a confirmation, and what they would cause. The first match counts. */
const dangers: [key: RegExp, is: (value: Value, before: Value) => boolean, words: (value: Value) => string][] = [
  [
    /^OAuth2Enabled$/,
    (value) => value === false,
    () => t('Applications can no longer sign users in, and application tokens stop working.'),
  ],
  [
    /^RateLimitEnabled$/,
    (value) => value === false,
    () => t('Calls are no longer limited: anyone, with or without a key, can call as fast as the network allows.'),
  ],
  [/^RateLimit/, (value) => value === 0, () => t('These calls are no longer limited.')],
  [
    /^OAuth2AccessTokenTTL$/,
    (value) => Number(value) > day,
    (value) => t('A stolen access token works for {duration}.', { duration: lasts(value) }),
  ],
  [
    /^OAuth2CodeTTL$/,
    (value) => Number(value) > longestCode,
    (value) =>
      t('A code stolen in transit works for {duration}; ten minutes or less is recommended.', {
        duration: lasts(value),
      }),
  ],
  [
    /TTL$/,
    // 0 is rejected by the service itself.
    (value) => Number(value) > 0 && Number(value) < 30,
    (value) => t('It expires after {duration}, before slow applications can use it.', { duration: lasts(value) }),
  ],
  [
    /^QuotaForNewUser$/,
    (value) => Number(value) > generousQuota,
    (value) => t('Every user who registers receives {amount}.', { amount: formatQuota(Number(value)) }),
  ],
  [
    /Days$/,
    (value, before) => Number(value) < Number(before),
    (value) =>
      t('Data older than {days, plural, one {# day} other {# days}} is permanently deleted within minutes.', {
        days: Number(value),
      }),
  ],
  [/^BatchPriceFactor$/, (value) => value === 0, () => t('Batches are free for everyone.')],
  [
    /^CorsOrigins$/,
    (value) => String(value).split(/\s+/).includes('*'),
    () => t('Any website can call /v1 and /mcp from your users’ browsers.'),
  ],
  [
    /^OAuth2DynamicRegistration$/,
    (value) => value === true,
    () => t('Any program can register itself as a client unless a token is required (OAuth2RegistrationTokenSha256).'),
  ],
  [
    /^LogLevel$/,
    (value) => value === 'fatal' || value === 'silent',
    () => t('Failures are no longer logged and cannot be investigated later.'),
  ],
];

/** Signing keys are rotated after this many days; nothing is deleted. */
const harmless = ['OAuth2SigningKeyDays'];

export function dangerOf(key: string, value: Value, before: Value): string | null {
  if (value === before || harmless.includes(key)) return null;
  const found = dangers.find(([has, is]) => has.test(key) && is(value, before));
  return found ? found[2](value) : null;
}
