import { type FailureRow, searchFailures } from '../billing/store/failures.ts';
import { searchIncomplete } from '../billing/store/incomplete.ts';
import type { Place, Searched } from '../billing/store/search-newest.ts';
import { listUsage, type UsageLog } from '../billing/store/usage.ts';
import type { LogFilter } from '../billing/store/usage-sums.ts';
import type { Db } from '../platform/db/tables.ts';

/**
 * `answered`: everything in the usage log; `incomplete`: entries that ended early; a number: failed with that status.
 */
export type Status = 'answered' | 'incomplete' | 'failed' | number;

export interface RequestFilter extends LogFilter {
  status?: Status | undefined;
}

export type Line = { side: 'answered'; log: UsageLog } | { side: 'failed'; failure: FailureRow };

/** Among requests of the same second, failed ones come first; each side has its own ids. */
const ranks = { answered: 0, failed: 1 };
type Side = keyof typeof ranks;

/** Time, rank of the side, id: newest first, and unique for each request. */
export type LinePlace = readonly [created_at: number, rank: number, id: number];

const isBehind = (a: LinePlace, b: LinePlace): boolean =>
  a[0] !== b[0] ? a[0] < b[0] : a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2];

const placeOf = (side: Side, { created_at, id }: Place): LinePlace => [created_at, ranks[side], id];

/** The position as seen by one side: of the other side's second, all of its entries come after, or none. */
function placeIn(side: Side, [created_at, rank, id]: LinePlace): Place {
  if (rank === ranks[side]) return { created_at, id };
  return { created_at, id: rank > ranks[side] ? Number.MAX_SAFE_INTEGER : 0 };
}

interface SidePage {
  lines: { place: LinePlace; line: Line }[];
  end: LinePlace | null;
}

function asLines<R extends Place>(side: Side, { rows, end }: Searched<R>, lineOf: (row: R) => Line): SidePage {
  const lines = rows.map((row) => ({ place: placeOf(side, row), line: lineOf(row) }));
  return { lines, end: end && placeOf(side, end) };
}

async function answeredPage(db: Db, filter: RequestFilter, limit: number, after?: LinePlace): Promise<SidePage> {
  const { status, ...rest } = filter;
  const before = after && placeIn('answered', after);
  const lineOf = (log: UsageLog): Line => ({ side: 'answered', log });
  if (status === 'incomplete') return asLines('answered', await searchIncomplete(db, rest, { limit, before }), lineOf);
  const rows = await listUsage(db, rest, { limit, before });
  return asLines('answered', { rows, end: rows.length < limit ? null : rows.at(-1)! }, lineOf);
}

async function failedPage(db: Db, filter: RequestFilter, limit: number, after?: LinePlace): Promise<SidePage> {
  const status = typeof filter.status === 'number' ? filter.status : undefined;
  const before = after && placeIn('failed', after);
  const found = await searchFailures(db, { ...filter, status }, { limit, before });
  return asLines('failed', found, (failure) => ({ side: 'failed', failure }));
}

const sidesOf = (status: Status | undefined): Side[] => {
  if (status === undefined) return ['answered', 'failed'];
  return status === 'answered' || status === 'incomplete' ? ['answered'] : ['failed'];
};

/**
 * A merged page of both sides, each read by its own index. A side may hit its scan limit before it fills a page:
 * entries beyond that position are left for the next page, which starts there, so that none is skipped. Fewer entries
 * than requested are the last ones only if there is no next position.
 */
export async function pageRequests(
  db: Db,
  filter: RequestFilter,
  { limit, after }: { limit: number; after?: LinePlace | undefined },
): Promise<{ lines: Line[]; next: LinePlace | null }> {
  const read = { answered: answeredPage, failed: failedPage };
  const sides: SidePage[] = [];
  for (const side of sidesOf(filter.status)) sides.push(await read[side](db, filter, limit, after));
  let end: LinePlace | null = null;
  for (const side of sides) if (side.end && (end === null || isBehind(end, side.end))) end = side.end;
  const known = sides
    .flatMap(({ lines }) => lines)
    .filter(({ place }) => end === null || !isBehind(place, end))
    .sort((a, b) => (isBehind(a.place, b.place) ? 1 : -1));
  const shown = known.slice(0, limit);
  const next = known.length > limit ? shown.at(-1)!.place : end;
  return { lines: shown.map(({ line }) => line), next };
}
