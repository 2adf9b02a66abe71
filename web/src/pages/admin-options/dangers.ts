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
    () => t('No application can sign anybody in, and tokens of applications stop working.'),
  ],
  [
    /^RateLimitEnabled$/,
    (value) => value === false,
    () => t('Nothing limits calls any more: whoever has a key, or none, can call as fast as the network allows.'),
  ],
  [/^RateLimit/, (value) => value === 0, () => t('Nothing limits these calls any more.')],
  [
    /^OAuth2AccessTokenTTL$/,
    (value) => Number(value) > day,
    (value) => t('An access token that is stolen works for {duration}.', { duration: lasts(value) }),
  ],
  [
    /^OAuth2CodeTTL$/,
    (value) => Number(value) > longestCode,
    (value) =>
      t('A code that is stolen on its way back works for {duration}; ten minutes are advised at most.', {
        duration: lasts(value),
      }),
  ],
  [
    /TTL$/,
    // 0 is rejected by the service itself.
    (value) => Number(value) > 0 && Number(value) < 30,
    (value) => t('After {duration} it has run out, before slow applications have used it.', { duration: lasts(value) }),
  ],
  [
    /^QuotaForNewUser$/,
    (value) => Number(value) > generousQuota,
    (value) => t('Everybody who registers is given {amount}.', { amount: formatQuota(Number(value)) }),
  ],
  [
    /Days$/,
    (value, before) => Number(value) < Number(before),
    (value) =>
      t('What is older than {days, plural, one {# day} other {# days}} is deleted within minutes, for good.', {
        days: Number(value),
      }),
  ],
  [/^BatchPriceFactor$/, (value) => value === 0, () => t('Batches are free for everybody.')],
  [
    /^CorsOrigins$/,
    (value) => String(value).split(/\s+/).includes('*'),
    () => t('Pages of every site may call /v1 and /mcp from the browsers of your users.'),
  ],
  [
    /^OAuth2DynamicRegistration$/,
    (value) => value === true,
    () =>
      t('Any program may register itself as a client, unless a token is asked for (OAuth2RegistrationTokenSha256).'),
  ],
  [
    /^LogLevel$/,
    (value) => value === 'fatal' || value === 'silent',
    () => t('Failures are no longer logged, and nobody can find out about them later.'),
  ],
];

/** Signing keys are rotated after this many days; nothing is deleted. */
const harmless = ['OAuth2SigningKeyDays'];

export function dangerOf(key: string, value: Value, before: Value): string | null {
  if (value === before || harmless.includes(key)) return null;
  const found = dangers.find(([has, is]) => has.test(key) && is(value, before));
  return found ? found[2](value) : null;
}
