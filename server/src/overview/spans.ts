import { spanLengths } from '../billing/store/roll-up-spans.ts';

const hour = 3_600;
const day = 24 * hour;

/** More bars are unreadable. */
const mostBars = 80;
/** Bar widths, finest first. */
const widths = [300, hour, 6 * hour, day];

/** Longer ranges belong to accounting. */
export const mostDays = 186;

/** The finest width that is readable and still stored for the start of the range. */
export function widthOf(from: number, to: number, now: number): number {
  const kept = spanLengths.find(({ next, keptSeconds }) => from >= now - keptSeconds + next)?.length ?? day;
  return widths.find((width) => width >= kept && (to - from) / width <= mostBars) ?? day;
}
