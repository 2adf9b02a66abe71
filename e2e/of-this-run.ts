/**
 * Of the same tests in several places, such as databases, a run with a turn (scripts/test-turns.ts) takes one after the
 * other; where the file is named, all.
 */
export function ofThisRun<Place>(places: Place[]): Place[] {
  const turn = Number.parseInt(process.env.SVC_TURN ?? '', 10);
  return Number.isInteger(turn) ? [places[turn % places.length]!] : places;
}
