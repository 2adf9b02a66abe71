/** RFC 9110 §11.6.1: adds a parameter to the answer's bearer challenge, or a challenge of its own. */
export function addChallengeParameter(response: Response, parameter: string | null): void {
  if (parameter === null) return;
  const before = response.headers.get('www-authenticate') ?? '';
  // The handler has already set it.
  if (before.includes('resource_metadata=')) return;
  response.headers.set('www-authenticate', withParameter(before, parameter));
}

function withParameter(before: string, parameter: string): string {
  if (/^(bearer)?$/i.test(before)) return `Bearer ${parameter}`;
  return /^bearer /i.test(before) ? `${before}, ${parameter}` : `${before}, Bearer ${parameter}`;
}
