import { createElement, Fragment } from 'react';

/**
 * After what an address or an id may go on in the next line: browsers know of some of these only, and else break words in
 * the middle. Numbers such as 4.1 stay whole, and short ends of addresses with what is before them.
 */
const ends = /(?<=[@_/:-])(?=\p{L})|(?<=\.)(?=\p{L}{4})|(?<=[/:])(?=\d)/u;

const lineMayEnd = <wbr />;

/** An address or an id, which goes on in the next line at the end of one of its parts. */
export function LongName({ text }: { text: string }) {
  const parts = text.split(ends);
  // As children of their own they need no keys: a part has no name but its place.
  return createElement(Fragment, null, ...parts.flatMap((part, index) => (index === 0 ? part : [lineMayEnd, part])));
}
