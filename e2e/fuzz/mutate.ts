/** Invalid values, bodies, addresses and methods. */
import type { Random } from './random.ts';

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Created lazily: some are large. */
const nastyValues: ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => [],
  () => ({}),
  () => '',
  () => ' ',
  () => 0,
  () => -1,
  () => 1.5,
  () => -0,
  () => 2 ** 31,
  () => 2 ** 53,
  () => -(2 ** 63),
  () => 9_223_372_036_854_775_807n.toString(),
  () => 1e308,
  () => '1e999',
  () => 'NaN',
  () => 'a\u0000b',
  () => '\ud800',
  () => '\u202e\u0007\u001b[31m',
  () => '💥'.repeat(50),
  () => "' or 1=1 --",
  () => '%s%n{{x}}<script>',
  () => '../../../../etc/passwd',
  (random) => random.pick(['constructor', '__proto__', 'toString', 'hasOwnProperty']),
  () => [null],
  () => [[]],
  () => [{}],
  () => ({ toString: 1, valueOf: null, constructor: { prototype: {} } }),
  () => JSON.parse('{"__proto__":{"admin":true}}'),
  (random) => 'x'.repeat(random.pick([256, 4_096, 70_000])),
  (random) => nested(random.pick([20, 400])),
  (random) => Array.from({ length: random.pick([3, 200, 3_000]) }, (_, i) => i),
];

/** 100,000 items cost the client more than the service, so they are sent rarely. */
const hugeArray = () => Array.from({ length: 100_000 }, () => 1);

export const nasty = (random: Random): unknown =>
  random.chance(0.01) ? hugeArray() : random.pick(nastyValues)(random);

/** The same value with one part changed, removed or added. */
export function mutate(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const at = random.below(value.length);
    return value.map((item, i) => (i === at ? mutate(item, random) : item));
  }
  if (typeof value === 'object' && value !== null && random.chance(0.95)) return mutateObject(value, random);
  return nasty(random);
}

function mutateObject(value: object, random: Random): unknown {
  const entries = Object.entries(value);
  const way = random.next();
  if (way < 0.2 && entries.length > 0) {
    const at = random.below(entries.length);
    return Object.fromEntries(entries.filter((_, i) => i !== at));
  }
  if (way < 0.35 || entries.length === 0) {
    const name = random.pick(['extra', '__proto__', 'role', 'quota', '', 'a\u0000', 'x'.repeat(500), 'id', 'stream']);
    return Object.fromEntries([...entries, [name, nasty(random)]]);
  }
  const at = random.below(entries.length);
  return Object.fromEntries(entries.map(([name, item], i) => [name, i === at ? mutate(item, random) : item]));
}

/** Bodies that cannot be parsed. */
export function breakText(text: string, random: Random): string | Uint8Array {
  switch (random.below(9)) {
    case 0:
      return text.slice(0, random.below(text.length + 1));
    case 1: {
      const bytes = Buffer.from(text || '{}');
      bytes[random.below(bytes.length)] = random.pick([0xff, 0xc0, 0x80, 0x00]);
      return bytes;
    }
    case 2:
      return '['.repeat(50_000);
    case 3:
      return `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    case 4:
      return text.replace(/:("[^"]*"|\d+)/, ':1e999999');
    case 5:
      return text.replace(/\{(.*)\}/s, '{$1,$1}');
    case 6:
      return '';
    case 7:
      return `\ufeff${text}`;
    default:
      return random.pick(['null', 'true', '"x"', '42', '[]', '{}', '\0', '--x\r\n\r\n', 'a=b&a=c&%zz=%ff']);
  }
}

export const oddTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'application/problem+json',
  '',
  ';;;',
];
export const oddEncodings = ['gzip', 'br', 'zstd', 'deflate', 'compress', 'gzip, gzip', 'identity', ''];
export const oddMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE', 'LINK'];

/** Path parameters and query values that match nothing. */
export const oddPlaces = [
  '0',
  '-1',
  '1.5',
  '99999999999999999999',
  '9007199254740993',
  '2147483648',
  '1e3',
  'NaN',
  '%00',
  '%ff%fe',
  '%',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..',
  '%F0%9F%92%A5',
  '%0d%0aset-cookie:x=y',
  'null',
  '__proto__',
  'constructor',
  'a'.repeat(3_000),
  "'%20or%201=1",
  '%7B%7D',
];
