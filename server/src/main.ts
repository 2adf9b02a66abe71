import { commands, usage } from './cli/commands.ts';
import { ConfigFaults, readConfig } from './config.ts';
import { liftRequestLimit } from './lift-request-limit.ts';
import { StartFault } from './platform/open.ts';
import { serve } from './serve.ts';

// Whatever a command makes (database, logs, files, backups) is its owner's alone.
process.umask(0o077);

const [name = 'serve', ...args] = process.argv.slice(2);
try {
  const command = commands[name];
  if (name === 'serve') {
    liftRequestLimit();
    await serve(readConfig(process.env), process.env);
  } else if (command) {
    process.exit(await command.run({ config: readConfig(process.env), args, print: (line) => console.log(line) }));
  } else {
    console.log(usage());
    process.exit(name === 'help' || name === '--help' ? 0 : 1);
  }
} catch (error) {
  const expected = error instanceof ConfigFaults || error instanceof StartFault;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
