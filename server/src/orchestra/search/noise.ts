/** How near to a query texts are that have nothing to do with it: every embedder has a level and a spread of its own. */
export interface Noise {
  mean: number;
  deviation: number;
}

/** What is usual (unrelated texts at right angles, and this spread), as if seen on so many texts: a handful shows little. */
const usualDeviation = 0.1;
const asIfSeen = 10;
/** So many of the nearest may be what answers the query, and are no noise; of few texts, this share of them. */
const mayAnswer = 20;
const shareThatMayAnswer = 0.3;

/**
 * From the cosines of any texts. Level is the middle, so that in a small store the few that answer do not pass for noise.
 * Spread is the larger of what the two sides show: embedders that know words alone put most unrelated texts at nothing.
 */
export function noiseOf(cosines: number[]): Noise {
  const count = cosines.length;
  const sorted = cosines.toSorted((a, b) => a - b);
  const middle = quantile(sorted, 0.5);
  const farther = sorted.slice(0, Math.ceil(count / 2));
  const below = farther.reduce((sum, cosine) => sum + (cosine - middle) ** 2, 0) / Math.max(1, farther.length);
  const upper = 1 - Math.min(shareThatMayAnswer, mayAnswer / Math.max(1, count));
  const above = ((quantile(sorted, upper) - middle) / deviationsOf(upper)) ** 2;
  const variance = (count * Math.max(below, above) + asIfSeen * usualDeviation ** 2) / (count + asIfSeen);
  // A few texts at one level may all answer; dozens show where the embedder puts everything.
  return { mean: (middle * count ** 2) / (count ** 2 + asIfSeen ** 2), deviation: Math.sqrt(variance) };
}

/** The lower of two neighbours, so that of three texts one that answers is no measure for the others. */
const quantile = (sorted: number[], share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;

/** How far above the middle this share of normally spread values ends; the logistic curve is near enough. */
const deviationsOf = (share: number): number => Math.log(share / (1 - share)) / 1.702;

/** By how many deviations a text is nearer than chance would have it; what is farther than usual tells nothing. */
export const standsOut = (cosine: number, { mean, deviation }: Noise): number =>
  Math.max(0, (cosine - mean) / deviation);

/** So many deviations are as likely chance as not, among the thousands that are looked at; and how fast that changes. */
const evenDeviations = 3;
const steepness = 1.5;

/** 0-1: how sure it is that a text has to do with the query, whatever measured how far it stands out. */
export const relevanceOf = (deviations: number): number =>
  1 / (1 + Math.exp(-steepness * (deviations - evenDeviations)));
