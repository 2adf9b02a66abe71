import { version } from '../../package.json' with { type: 'json' };
import { commands, readArguments, usage, usageOf } from './cli/commands.ts';
import { ConfigFaults, readConfig } from './config.ts';
import { liftRequestLimit } from './lift-request-limit.ts';
import { StartFault } from './platform/start-fault.ts';
import { serve } from './serve.ts';

// Whatever a command makes (database, logs, files, backups) is its owner's alone.
process.umask(0o077);

const print = (line: string): void => console.log(line);

/** Returns the exit code; none while the service runs. */
async function run(name: string, given: string[]): Promise<number | undefined> {
  if (['help', '--help', '-h'].includes(name)) return say(usage());
  if (['version', '--version'].includes(name)) return say(version);
  const command = commands[name];
  if (!command && name !== 'serve') return refuse(`Unknown command: ${name}.\n${usage()}`);
  if (given.includes('--help')) return say(usageOf(name));
  const taken = readArguments(command?.takes ?? '', given);
  if (!taken) return refuse(usageOf(name));
  if (command) return command.run({ config: readConfig(process.env), env: process.env, ...taken, print });
  liftRequestLimit();
  await serve(readConfig(process.env), process.env);
}

function say(text: string): number {
  print(text);
  return 0;
}

/** Two is what shells and their builtins say to arguments that are wrong; one is work that failed. */
function refuse(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}

try {
  const [name = 'serve', ...given] = process.argv.slice(2);
  const code = await run(name, given);
  if (code !== undefined) process.exit(code);
} catch (error) {
  const expected = error instanceof ConfigFaults || error instanceof StartFault;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
