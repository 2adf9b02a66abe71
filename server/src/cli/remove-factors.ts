import { removeFactorsAtTheMachine } from '../identity/administrator.ts';
import { type CommandCall, withAnnouncements } from './command.ts';

/**
 * The way back in for the last root user who lost the second factor: shell access implies access to the database
 * anyway.
 */
export async function removeFactors({ config, args, print }: CommandCall): Promise<number> {
  const username = args[0]!;
  const found = await withAnnouncements(config, (deps) => removeFactorsAtTheMachine(deps, username));
  print(found ? `${username} can now log in with only the password.` : `There is no user ${username}.`);
  return found ? 0 : 1;
}
