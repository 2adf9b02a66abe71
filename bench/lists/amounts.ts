const day = 86_400;

/** How much of everything there is beside so many entries of the usage log. */
export interface Amounts {
  usage: number;
  users: number;
  credits: number;
  audit: number;
  /** Kept for a month, while usage is kept for a year. */
  decisions: number;
  applications: number;
  /** Sessions of the orchestration, and entries of its knowledge. */
  memory: number;
  /** In one session. */
  messages: number;
  runs: number;
  videos: number;
  /** Unix seconds: the usage log is of the year before. */
  now: number;
}

/** The user who is asked for has a page of everything, also where there is next to nothing. */
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
