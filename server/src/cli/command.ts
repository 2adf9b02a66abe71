import type { Config } from '../config.ts';

export interface CommandCall {
  config: Config;
  args: string[];
  print(line: string): void;
}

export interface Command {
  help: string;
  /** Returns the exit code. */
  run(call: CommandCall): Promise<number>;
}
