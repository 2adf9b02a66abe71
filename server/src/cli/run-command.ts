import { ConfigFaults, readConfig } from '../config.ts';
import { StartFault } from '../platform/start-fault.ts';
import { type CommandCall, lacksDatabase, noDatabaseIn } from './command.ts';
import { commands, readArguments, usageOf } from './commands.ts';

export interface CommandOutput {
  print(line: string): void;
  /** For what is wrong; goes to standard error. */
  complain(line: string): void;
}

/** What shells and their builtins return for wrong arguments; one is work that failed. */
export const wrongArguments = 2;

/** Runs one of the executable's commands; returns the exit code. Whatever is wrong is said in words. */
export async function runCommand(
  name: string,
  given: string[],
  env: CommandCall['env'],
  { print, complain }: CommandOutput,
): Promise<number> {
  const command = commands[name]!;
  const taken = readArguments(command.takes, given);
  if (!taken) {
    complain(usageOf(name));
    return wrongArguments;
  }
  try {
    const config = readConfig(env);
    if (command.needsDatabase && lacksDatabase(config)) throw new StartFault(noDatabaseIn(config));
    return await command.run({ config, env, ...taken, print });
  } catch (error) {
    complain(wordsFor(error, `svc ${name} failed`));
    return 1;
  }
}

/** A fault of ours is shown with its stack, as whoever reports it has to tell where it is. */
export function wordsFor(error: unknown, what: string): string {
  if (!(error instanceof Error)) return `${what}: ${error}`;
  if (error instanceof ConfigFaults || error instanceof StartFault) return error.message;
  return isOfTheMachine(error) ? `${what}: ${error.message}` : (error.stack ?? error.message);
}

/** From a file system, a network or a database: nothing in this program is wrong. */
const isOfTheMachine = (error: Error): boolean =>
  ['SQLiteError', 'PostgresError', 'RedisError', 'S3Error'].includes(error.name) ||
  ('code' in error && /^E[A-Z]+$/.test(String(error.code)));
