/** RFC 9110 §11.6.1: one more parameter of the bearer challenge that an answer has, or a challenge of its own. */
export function sayWhereToAsk(response: Response, parameter: string | null): void {
  if (parameter === null) return;
  const before = response.headers.get('www-authenticate');
  response.headers.set('www-authenticate', before ? `${before}, ${parameter}` : `Bearer ${parameter}`);
}
