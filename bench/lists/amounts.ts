const day = 86_400;

/** Table sizes in proportion to the number of usage entries. */
export interface Amounts {
  usage: number;
  users: number;
  credits: number;
  audit: number;
  /** Kept for a month, while usage is kept for a year. */
  decisions: number;
  applications: number;
  /** Sessions of the orchestration, and its knowledge entries. */
  memory: number;
  /** In a single session. */
  messages: number;
  runs: number;
  videos: number;
  /** Unix seconds: the usage log covers the year before. */
  now: number;
}

/** The requesting user has a page of everything even in the nearly empty database. */
export const amountsFor = (usage: number): Amounts => ({
  usage,
  users: Math.max(50, usage / 100),
  credits: Math.max(400, usage / 20),
  audit: Math.max(400, usage / 10),
  decisions: Math.max(400, usage / 12),
  applications: Math.max(100, usage / 500),
  memory: Math.max(400, usage / 100),
  messages: Math.max(40, usage / 1_000),
  runs: Math.max(400, usage / 1_000),
  videos: Math.max(400, usage / 1_000),
  now: Math.floor(Date.now() / 1000),
});

export const yearSeconds = 365 * day;
export const monthSeconds = 29 * day;
