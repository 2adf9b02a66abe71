const mebibyte = 1024 * 1024;

export const limits = {
  /** Of one batch, as at OpenAI. */
  requests: 50_000,
  /** A line is read as a whole, and as many of them at once as there are requests under way. */
  lineBytes: 8 * mebibyte,
  customIdLength: 512,
  /** What is wrong with the first lines tells what is wrong with the others. */
  errors: 100,
  /** Batches of one user that have not ended. */
  running: 20,
  /** As OpenAI allows: an hour to thirty days. */
  leastExpirySeconds: 3_600,
  mostExpirySeconds: 30 * 86_400,
  /** Of files, as Anthropic allows. */
  mostAnthropicExpirySeconds: 90 * 86_400,
  /** Of a file that comes in parts, as at OpenAI: one of them, and the time for all. */
  partBytes: 64 * mebibyte,
  uploadSeconds: 3_600,
  /** Each is a row and a blob; of the size that clients choose, eight gigabytes are 128. */
  parts: 1_000,
  windowSeconds: 86_400,
  /** Of a batch that has ended, and of files with requests or results. */
  keptSeconds: 30 * 86_400,
};

/** Batches that one process works on, and requests of one of them under way: 32 calls of batches in all. */
export const parallel = { batches: 4, requests: 8 };
