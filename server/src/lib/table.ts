/**
 * Rows that are found by a name from outside: of a request, an upstream's answer, a command line. A plain object also
 * finds what all objects have, such as `constructor` and `toString`, though there is no such row.
 */
export const table = <Row>(rows: Readonly<Record<string, Row>>): Readonly<Record<string, Row>> =>
  Object.freeze(Object.assign(Object.create(null), rows));
