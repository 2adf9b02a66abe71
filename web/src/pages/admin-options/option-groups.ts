import type { Result } from '../../api.ts';
import { knownServerText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';

export type Option = Result<'/api/admin/options', 'get'>[number];

const groups: { name: string; title: string; has: (key: string) => boolean }[] = [
  {
    name: 'accounts',
    title: t('Accounts'),
    has: (key) => /^(Registration|QuotaForNewUser|AdminSecondFactor)/.test(key),
  },
  { name: 'oauth', title: 'OAuth', has: (key) => key.startsWith('OAuth2') },
  { name: 'limits', title: t('Limits##of calls'), has: (key) => /RateLimit/.test(key) },
  { name: 'models', title: t('Models and orchestration'), has: (key) => /^Ms[A-Z]|^DefaultModelPrice$/.test(key) },
  { name: 'credits', title: t('Credits and cached answers'), has: (key) => /^(TopUp|ResponseCache)/.test(key) },
  { name: 'records', title: t('Records'), has: (key) => /Log(Days|Level)?$/.test(key) },
  { name: 'other', title: t('Other'), has: () => true },
];

/** Puts every option into the first matching group; options unknown to the page end up under Other. */
export function groupedOptions(options: Option[]): { name: string; title: string; options: Option[] }[] {
  const groupOf = ({ key }: Option) => groups.find(({ has }) => has(key))?.name;
  return groups
    .map(({ name, title }) => ({ name, title, options: options.filter((option) => groupOf(option) === name) }))
    .filter((group) => group.options.length > 0);
}

/** Proper names, which must not be split or lower-cased. */
const properNames: [RegExp, string][] = [
  [/OpenIDConnect/, 'OpenID Connect'],
  [/OAuth/, 'OAuth'],
  [/^Mcp|Mcp$/, 'MCP'],
  [/Scim$/, 'SCIM'],
  [/^Cors/, 'CORS'],
  [/Api(?=Keys)|Api$/, 'API'],
  [/Sha256$/, 'SHA-256'],
  [/Mebibytes$/, 'size'],
  [/V1$/, '/v1'],
  [/TTL$/, 'lifetime'],
];

/**
 * `RateLimitOAuthToken` → `Rate limit OAuth token`; the key itself is shown next to it. Translations are looked up by
 * key.
 */
export function labelOf(key: string): string {
  const translated = knownServerText(key);
  if (translated !== undefined) return translated;
  let rest = key.replace(/^(OAuth2|Ms(?=[A-Z]))/, '');
  for (const [index, [found]] of properNames.entries()) rest = rest.replace(found, ` ${index} `);
  const text = rest
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
    .split(/\s+/)
    .map((word) => properNames[Number(word)]?.[1] ?? word.toLowerCase())
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const units: [seconds: number, words: (count: number) => string][] = [
  [86_400, (count) => t('{count, plural, one {# day} other {# days}}', { count })],
  [3600, (count) => t('{count, plural, one {# hour} other {# hours}}', { count })],
  [60, (count) => t('{count, plural, one {# minute} other {# minutes}}', { count })],
];

/** "30 days" is easier to read than 2,592,000. */
export function durationOf(seconds: number): string {
  const [size, words] = units.find(([length]) => seconds >= length) ?? [];
  if (!size || !words) return t('{count, plural, one {# second} other {# seconds}}', { count: seconds });
  return words(Math.round((seconds / size) * 10) / 10);
}
