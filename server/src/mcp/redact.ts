import { parseExactly } from '../lib/exact-json.ts';

/** Some servers repeat what they are sent; our headers must not reach others. */
export function redacted<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 || value === undefined ? value : searched(value, secrets);
}

function searched<T>(value: T, secrets: readonly string[]): T {
  const text = JSON.stringify(value);
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  if (!written.some((secret) => text.includes(secret))) return value;
  return parseExactly(written.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)) as T;
}
