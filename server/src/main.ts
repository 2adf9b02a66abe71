import { version } from '../../package.json' with { type: 'json' };
import { commands, usage, usageOf } from './cli/commands.ts';
import { runCommand, wordsFor, wrongArguments } from './cli/run-command.ts';
import { readConfig } from './config.ts';
import { enterRuntimeEnvironment } from './runtime-environment.ts';
import { serve } from './serve.ts';

// Whatever a command makes (database, logs, files, backups) is its owner's alone.
process.umask(0o077);

const print = (line: string): void => console.log(line);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Returns the exit code; none while the service runs. */
async function run(name: string, given: string[]): Promise<number | undefined> {
  if (['help', '--help', '-h'].includes(name)) return say(usage());
  if (['version', '--version'].includes(name)) return say(version);
  if (!commands[name] && name !== 'serve') return refuse(`Unknown command: ${name}.\n${usage()}`);
  if (given.includes('--help')) return say(usageOf(name));
  if (commands[name]) return runCommand(name, given, process.env, { print, complain });
  if (given.length > 0) return refuse(usageOf(name));
  enterRuntimeEnvironment();
  await serve(readConfig(process.env), process.env);
}

function say(text: string): number {
  print(text);
  return 0;
}

function refuse(text: string): number {
  complain(text);
  return wrongArguments;
}

try {
  const [name = 'serve', ...given] = process.argv.slice(2);
  const code = await run(name, given);
  if (code !== undefined) process.exit(code);
} catch (error) {
  complain(wordsFor(error, 'The service cannot start'));
  process.exit(1);
}
