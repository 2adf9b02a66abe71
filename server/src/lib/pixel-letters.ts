/** Five by seven letters, a row a number, the highest of five bits leftmost. Just those that are written somewhere. */
const glyphs: Record<string, number[]> = {
  S: [15, 16, 16, 14, 1, 1, 30],
  I: [14, 4, 4, 4, 4, 4, 14],
  M: [17, 27, 21, 21, 17, 17, 17],
  U: [17, 17, 17, 17, 17, 17, 14],
  L: [16, 16, 16, 16, 16, 16, 31],
  A: [14, 17, 17, 31, 17, 17, 17],
  T: [31, 4, 4, 4, 4, 4, 4],
  O: [14, 17, 17, 17, 17, 17, 14],
  N: [17, 25, 21, 19, 17, 17, 17],
};

/** What a letter and the gap behind it take. */
export const letterWidth = 6;
export const letterHeight = 7;

/** What stands on every picture and film that no real model made. */
export const simulationLabel = 'SIMULATION';

/** Where a text has dots, counted in dots from its upper left. */
export function dotsOf(text: string): { x: number; y: number }[] {
  return [...text].flatMap((letter, position) =>
    (glyphs[letter] ?? []).flatMap((row, y) =>
      [0, 1, 2, 3, 4]
        .filter((column) => row & (16 >> column))
        .map((column) => ({ x: position * letterWidth + column, y })),
    ),
  );
}
