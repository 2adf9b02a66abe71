/** The longest limits of vendors are per day; a longer wait is a mistake that clients would take seriously. */
export const mostWaitMs = 86_400_000;

/** A header as it may be forwarded. */
export function boundedWait(name: string, value: string): string {
  const unitMs = { 'retry-after': 1_000, 'retry-after-ms': 1 }[name];
  return unitMs !== undefined && Number(value) * unitMs > mostWaitMs ? `${mostWaitMs / unitMs}` : value;
}
