import { createElement, Fragment } from 'react';

/**
 * Line break opportunities in addresses and ids: browsers know only some of them, and otherwise break inside words.
 * Numbers such as 4.1 stay together, and so do short ends of addresses and the part before them.
 */
const ends = /(?<=[@_/:-])(?=\p{L})|(?<=\.)(?=\p{L}{4})|(?<=[/:])(?=\d)/u;

const lineMayEnd = <wbr />;

/** An address or id that wraps between its parts. */
export function LongName({ text }: { text: string }) {
  const parts = text.split(ends);
  // Passed as separate arguments, they need no keys: a part is identified only by its position.
  return createElement(Fragment, null, ...parts.flatMap((part, index) => (index === 0 ? part : [lineMayEnd, part])));
}
