import { makeAdministrator } from '../identity/administrator.ts';
import { roles, usernameRule } from '../identity/user.ts';
import { type CommandCall, lacksDatabase, withAnnouncements } from './command.ts';

/**
 * The password comes from ADMIN_PASSWORD, so that it shows in no process list; otherwise one is generated and printed.
 */
export async function createAdmin({ config, args, flags, print }: CommandCall): Promise<number> {
  const username = args[0]!;
  if (!usernameRule.safeParse(username).success) {
    print('A username must be 3-32 characters of A-Z a-z 0-9 _ . -');
    return 2;
  }
  const isNew = lacksDatabase(config);
  const role = flags.has('--root') ? roles.root : roles.administrator;
  const made = await withAnnouncements(config, (deps) =>
    makeAdministrator(deps, { username, role, password: config.admin.password }),
  );
  // Intended before the first start; a mistyped DATA_DIR otherwise.
  if (isNew) print(`There was no database in ${config.dataDir}: a new one was created.`);
  print(`${username} is ${made.existed ? 'now' : 'made'} ${made.role === roles.root ? 'root' : 'administrator'}.`);
  if (made.drawn) print(`Password: ${made.drawn} (shown only once)`);
  return 0;
}
