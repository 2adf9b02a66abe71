import type { Config } from '../config.ts';
import { openLog } from '../platform/log.ts';
import { openPlatform, type Platform } from '../platform/open.ts';

export interface CommandCall {
  config: Config;
  args: string[];
  flags: ReadonlySet<string>;
  /** For what files refer to by the names of variables. */
  env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
}

export interface Command {
  /** As the usage has it, `<folder> [--force]`. Whatever else is given is refused. */
  takes: string;
  help: string;
  /** Returns the exit code. */
  run(call: CommandCall): Promise<number>;
}

/** Opens everything below the rooms, for one command; on SQLite that needs the service to be stopped. */
export async function withPlatform<T>(
  config: Config & { newDatabase?: boolean },
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const platform = await openPlatform(config, openLog('warn'));
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}
