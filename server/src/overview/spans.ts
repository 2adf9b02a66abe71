import { spanLengths } from '../billing/store/roll-up-spans.ts';

const hour = 3_600;
const day = 24 * hour;

/** More bars than that are no chart. */
const mostBars = 80;
/** Into which a range is divided, the finest first. */
const widths = [300, hour, 6 * hour, day];

/** Ranges longer than that are for the accounts. */
export const mostDays = 186;

/** The finest division that can be read, and that what is kept of the beginning of the range allows. */
export function widthOf(from: number, to: number, now: number): number {
  const kept = spanLengths.find(({ next, keptSeconds }) => from >= now - keptSeconds + next)?.length ?? day;
  return widths.find((width) => width >= kept && (to - from) / width <= mostBars) ?? day;
}
