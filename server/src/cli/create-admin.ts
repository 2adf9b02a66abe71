import { makeAdministrator } from '../identity/administrator.ts';
import { roles, usernameRule } from '../identity/user.ts';
import { type CommandCall, withPlatform } from './command.ts';

/** The password comes from ADMIN_PASSWORD, so that it shows in no process list; else one is drawn and printed. */
export async function createAdmin({ config, args, print }: CommandCall): Promise<number> {
  const [username, flag] = args;
  if (!username || !usernameRule.safeParse(username).success || (flag && flag !== '--root')) {
    print('Usage: svc create-admin <username> [--root]   (a username is 3-32 of A-Z a-z 0-9 _ . -)');
    return 1;
  }
  const role = flag ? roles.root : roles.administrator;
  const made = await withPlatform(config, ({ database, clock }) =>
    makeAdministrator({ db: database.db, clock }, { username, role, password: config.admin.password }),
  );
  print(`${username} is ${made.existed ? 'now' : 'made'} ${flag ? 'root' : 'administrator'}.`);
  if (made.drawn) print(`Password: ${made.drawn} (shown this once)`);
  return 0;
}
