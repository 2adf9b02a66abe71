/** How near to a query texts are that have nothing to do with it: every embedder has a level and a spread of its own. */
export interface Noise {
  mean: number;
  deviation: number;
}

/** What is usual (unrelated texts at right angles, and this spread), as if seen on so many texts: a handful shows little. */
const usualDeviation = 0.1;
const asIfSeen = 10;

/** From the cosines of any texts: what answers the query is too little among them to matter. */
export function noiseOf(cosines: number[]): Noise {
  const seen = cosines.length + asIfSeen;
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / seen;
  const squares = cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt((squares + asIfSeen * (usualDeviation ** 2 + mean ** 2)) / seen) };
}

/** By how many deviations a text is nearer than chance would have it; what is farther than usual tells nothing. */
export const standsOut = (cosine: number, { mean, deviation }: Noise): number =>
  Math.max(0, (cosine - mean) / deviation);
