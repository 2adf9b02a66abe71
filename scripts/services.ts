/** PostgreSQL and Redis for the test run: given by the environment, running on this machine, or started for the run. */
import { userInfo } from 'node:os';
import { installedChromium } from '../e2e/installed-chromium.ts';
import { answersPostgres, answersRedis, NoServer, type OwnServer, ownPostgres, ownRedis } from '../e2e/servers.ts';

export interface Service {
  /** Undefined if there is none; `note` then says why. */
  url: string | undefined;
  note: string;
  stop(): Promise<void>;
}

const nothingToStop = async (): Promise<void> => {};
const isRoot = process.getuid?.() === 0;

/** Starts a server for the duration of the run; if that is impossible, the note says why. */
async function startOwn(open: () => Promise<OwnServer>): Promise<Service> {
  try {
    const server = await open();
    return { url: server.url, note: `started ${server.program}`, stop: () => server.remove() };
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    return { url: undefined, note: error.message, stop: nothingToStop };
  }
}

export async function preparePostgres(): Promise<Service> {
  const given = process.env.DATABASE_URL_TEST;
  if (given) return { url: given, note: 'DATABASE_URL_TEST', stop: nothingToStop };
  for (const login of new Set([userInfo().username, 'postgres', 'postgres:postgres'])) {
    const url = `postgres://${login}@127.0.0.1:5432/postgres`;
    if (await answersPostgres(url)) return { url, note: 'the one on 127.0.0.1:5432', stop: nothingToStop };
  }
  return startOwn(ownPostgres);
}

export async function prepareRedis(): Promise<Service> {
  const given = process.env.REDIS_URL_TEST;
  if (given) return { url: given, note: 'REDIS_URL_TEST', stop: nothingToStop };
  const local = 'redis://127.0.0.1:6379';
  if (await answersRedis(local)) return { url: local, note: 'the one on 127.0.0.1:6379', stop: nothingToStop };
  return startOwn(ownRedis);
}

/** The system's Chromium, installed with apt-get if it is missing and we are root. */
export async function prepareChromium(): Promise<Service> {
  const found = installedChromium();
  if (found) return { url: found, note: found, stop: nothingToStop };
  if (!isRoot || !Bun.which('apt-get')) {
    return { url: undefined, note: 'Chromium is not installed', stop: nothingToStop };
  }
  console.log('installing chromium with apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = (name: string) => `apt-get install -y -qq --no-install-recommends ${name}`;
  const command = `apt-get update -qq && { ${install('chromium-headless-shell')} || ${install('chromium')}; }`;
  const code = await Bun.spawn(['sh', '-c', command], { env, stdout: 'ignore', stderr: 'inherit' }).exited;
  const installed = installedChromium();
  if (code === 0 && installed) return { url: installed, note: `${installed} (installed now)`, stop: nothingToStop };
  return { url: undefined, note: 'Chromium could not be installed', stop: nothingToStop };
}
