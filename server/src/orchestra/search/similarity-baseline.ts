/** Similarity of a query to unrelated texts: every embedding model has its own mean and spread. */
export interface SimilarityBaseline {
  mean: number;
  deviation: number;
}

/**
 * Prior for small samples: unrelated texts are orthogonal with this deviation, weighted as if seen on `asIfSeen` texts.
 */
const usualDeviation = 0.1;
const asIfSeen = 10;
/**
 * Up to this many of the nearest texts may be real matches and do not count as noise; of few texts, at most this share.
 */
const mayAnswer = 20;
const shareThatMayAnswer = 0.3;

/**
 * Estimates the noise from the cosines of arbitrary texts. The level is the median, so that in a small store the few
 * real matches do not pass for noise. The spread is the larger one of the two sides, because embedders that only know
 * words give most unrelated texts a cosine of 0.
 */
export function baselineOf(cosines: number[]): SimilarityBaseline {
  const count = cosines.length;
  const sorted = cosines.toSorted((a, b) => a - b);
  const middle = quantile(sorted, 0.5);
  const farther = sorted.slice(0, Math.ceil(count / 2));
  const below = farther.reduce((sum, cosine) => sum + (cosine - middle) ** 2, 0) / Math.max(1, farther.length);
  const upper = 1 - Math.min(shareThatMayAnswer, mayAnswer / Math.max(1, count));
  const above = ((quantile(sorted, upper) - middle) / deviationsOf(upper)) ** 2;
  const variance = (count * Math.max(below, above) + asIfSeen * usualDeviation ** 2) / (count + asIfSeen);
  // A few texts at one level may all be matches; dozens show the embedder's base level. So the median is trusted only
  // with a growing count.
  return { mean: (middle * count ** 2) / (count ** 2 + asIfSeen ** 2), deviation: Math.sqrt(variance) };
}

/** Rounds down, so that with three texts a single match does not set the level for the others. */
const quantile = (sorted: number[], share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;

/**
 * Number of standard deviations at this quantile of a normal distribution; the logistic approximation is close enough.
 */
const deviationsOf = (share: number): number => Math.log(share / (1 - share)) / 1.702;

/** By how many deviations a text is more similar than by chance; 0 if it is less similar than usual. */
export const deviationsAbove = (cosine: number, { mean, deviation }: SimilarityBaseline): number =>
  Math.max(0, (cosine - mean) / deviation);

/**
 * Deviations at which a match is as likely as chance, given the thousands of texts compared; and the slope around it.
 */
const evenDeviations = 3;
const steepness = 1.5;

/** Probability, 0-1, that a text is related to the query, given its deviations by words or by meaning. */
export const relevanceOf = (deviations: number): number =>
  1 / (1 + Math.exp(-steepness * (deviations - evenDeviations)));
