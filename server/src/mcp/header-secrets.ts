import { shortestSecret } from './fault.ts';

/** Names of headers whose values are credentials, whatever they look like. */
const holdsCredential = /auth|key|token|secret|pass|credential|cookie|session|sign/;
/** Other headers choose what a server does (`issues,wikis`, `2025-06-18`), unless the value looks generated. */
const looksGenerated = /^(?=.*[A-Za-z])(?=.*\d)\S{12,}$/;
const scheme = /^[A-Za-z]+$/;

/**
 * Values that must not be repeated by a server. Everything else has to stay: results are full of words such as `issues`
 * and `Bearer`, and they are passed on unchanged.
 */
export const headerSecretsOf = (headers: Record<string, string>): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    partsOf(value).filter(
      (part) => part.length >= shortestSecret && (holdsCredential.test(name) || looksGenerated.test(part)),
    ),
  );

/** Of `Bearer abc`, also `abc`: servers repeat it without the scheme. */
function partsOf(value: string): string[] {
  const [first = '', ...rest] = value.split(/\s+/);
  if (rest.length === 0) return [value];
  return [value, ...(scheme.test(first) ? [] : [first]), ...rest];
}
