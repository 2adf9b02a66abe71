type Headers = Readonly<Record<string, string>>;

/** As an upstream says it, in milliseconds, seconds or by a date (RFC 9110 §10.2.3); undefined where it does not. */
export function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': given } = headers;
  const told = [ms && Number(ms), given && Number(given) * 1_000, given && Date.parse(given) - nowMs];
  return told.find((wait) => typeof wait === 'number' && Number.isFinite(wait) && wait >= 0) as number | undefined;
}

/** Where nobody says: most limits are of a minute, and let through little by little. */
const usualWaitMs = 5_000;

/** What a caller is told whom all have sent away: when the first of them wants to be asked again, as clients read it. */
export function retryHeaders(refusals: readonly Headers[], nowMs: number): Record<string, string> {
  const told = refusals.map((headers) => ({ headers, wait: retryAfterOf(headers, nowMs) }));
  const soonest = Math.min(...told.map(({ wait = usualWaitMs }) => wait));
  const ours = { 'retry-after': `${Math.ceil(soonest / 1_000)}`, 'retry-after-ms': `${Math.ceil(soonest)}` };
  const first = told.find(({ wait = usualWaitMs }) => wait === soonest);
  return first?.wait === undefined ? { ...first?.headers, ...ours } : { ...ours, ...first.headers };
}
