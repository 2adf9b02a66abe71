import { newKeySchema, secretColumns } from '../identity/keys.ts';
import { noPassword } from '../identity/passwords.ts';
import { insertKnownKey } from '../identity/store/keys.ts';
import { findFirstRoot, findUser, findUserByName, insertUser } from '../identity/store/users.ts';
import { emailRule, roles, type User, usernameRule } from '../identity/user.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { quotaToUsd } from '../lib/money.ts';
import { readCode } from '../topups/code-text.ts';
import { findCode, insertCodes } from '../topups/store/codes.ts';
import type { ImportRun } from './import-run.ts';
import type { CodeIntake, KeyIntake, PersonIntake } from './imported-data.ts';
import { validName } from './valid-name.ts';

export async function takePeople(taking: ImportRun, people: readonly PersonIntake[]): Promise<void> {
  for (const person of people) {
    if (taking.taken.find('user', person.foreignId) !== undefined) {
      taking.outcome.before += 1;
      continue;
    }
    const user = (await sameRoot(taking, person)) ?? (await makeUser(taking, person));
    if (user) await taking.taken.add('user', person.foreignId, user.id);
  }
  // The first start only creates a root user if there are no users.
  if (people.length > 0 && !(await findFirstRoot(taking.tx)))
    taking.outcome.notes.push('there is no root user: create one with svc create-admin <username> --root');
}

/** The operator of this service ran the other one: root users of the same name are one. */
async function sameRoot({ tx, outcome }: ImportRun, person: PersonIntake): Promise<{ id: number } | null> {
  if (person.role !== roles.root) return null;
  const root = await findUserByName(tx, person.username);
  if (root?.role !== roles.root) return null;
  const what = 'the root user here has the same name: it keeps its password and balance, and receives the keys';
  outcome.notes.push(`user ${person.username}: ${what}`);
  return root;
}

/** Go's format. A higher cost would take seconds of CPU, and could be used to block the service. */
const bcrypt = /^\$2[ab]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

const roleWords: Record<number, string> = { [roles.administrator]: ', administrator', [roles.root]: ', root' };

async function makeUser({ tx, now, outcome }: ImportRun, person: PersonIntake): Promise<User | null> {
  const email = emailRule.safeParse(person.email).data ?? '';
  const isKnown = bcrypt.test(person.passwordHash);
  const fields = {
    ...{ display_name: validName(person.displayName, 64, `User ${person.number}`), email, role: person.role },
    ...{ status: person.status, group: validName(person.group, 64, 'default'), created_at: now },
    quota: Math.max(person.quota, 0),
    password_hash: isKnown ? person.passwordHash : noPassword(),
  };
  const kept = [...person.username].filter((letter) => /[A-Za-z0-9_.-]/.test(letter)).join('');
  const names = [person.username, `${kept.slice(0, 16) || 'user'}-${person.number}`];
  for (const username of names) {
    const user = usernameRule.safeParse(username).success ? await insertUser(tx, { ...fields, username }) : null;
    if (!user) continue;
    const { notes, users } = outcome;
    users.push(`${username}, $${quotaToUsd(user.quota)}${roleWords[user.role] ?? ''}`);
    if (username !== person.username)
      notes.push(
        `user ${person.username} is renamed to ${username}: the name is taken or contains characters that are not allowed`,
      );
    if (email !== person.email) notes.push(`user ${username}: "${person.email}" is not an email address`);
    if (!isKnown) notes.push(`user ${username} has no usable password and needs a link to set one`);
    if (person.quota < 0)
      notes.push(`user ${username} owes $${-quotaToUsd(person.quota)} and starts with a balance of 0`);
    return user;
  }
  outcome.notes.push(`user ${person.username} is skipped: ${names.at(-1)} is also taken`);
  return null;
}

/** The owner; null, and reported, if there is none. */
async function ownerOf({ tx, taken, outcome }: ImportRun, owner: string | null, what: string): Promise<number | null> {
  if (owner === null) {
    const root = await findFirstRoot(tx);
    if (!root) outcome.notes.push(`${what} is skipped: start the service once, so that it has a root user`);
    return root?.id ?? null;
  }
  const id = taken.find('user', owner);
  const user = id === undefined ? null : await findUser(tx, id);
  if (!user) outcome.notes.push(`${what} is skipped: its user does not exist here`);
  return user?.id ?? null;
}

/** Shorter secrets could be guessed, and their masked form would show half of them. */
const shortestSecret = 19;

export async function takeKeys(taking: ImportRun, keys: readonly KeyIntake[]): Promise<void> {
  const { tx, now, taken, outcome } = taking;
  for (const key of keys) {
    const columns = secretColumns(key.secret);
    if (taken.find('key', columns.key_hash) !== undefined) {
      outcome.before += 1;
      continue;
    }
    const name = validName(key.name, 50, 'Key');
    const what = `key "${name}"${key.secret.length < shortestSecret ? '' : ` (…${columns.key_end})`}`;
    const { data, error } = newKeySchema.safeParse({
      ...{ name, remain_quota: Math.max(key.remainQuota, 0), models: key.models, allowed_ips: key.allowedIps },
      expired_time: key.expiredTime,
    });
    const fault = faultOf(key, error?.issues[0]?.message, now);
    if (fault || !data) {
      outcome.notes.push(`${what} is skipped: ${fault}`);
      continue;
    }
    const userId = await ownerOf(taking, key.owner, what);
    if (userId === null) continue;
    const made = await insertKnownKey(tx, {
      ...{ ...columns, user_id: userId, name: data.name, status: key.status, created_time: now, accessed_time: 0 },
      ...{ expired_time: key.expiredTime, remain_quota: data.remain_quota!, unlimited_quota: Number(key.unlimited) },
      ...{ models: JSON.stringify(data.models), allowed_ips: JSON.stringify(data.allowed_ips), made_by: null },
    });
    if (made) await taken.add('key', columns.key_hash, made.id);
    if (made) outcome.keys.push(what);
    else outcome.notes.push(`${what} already exists and is left unchanged`);
  }
}

function faultOf({ secret, expiredTime }: KeyIntake, refused: string | undefined, now: number): string | null {
  if (!/^sk-[!-~]+$/.test(secret) || secret.length < shortestSecret)
    return `a key must start with sk- and have at least ${shortestSecret} characters`;
  if (expiredTime !== -1 && expiredTime <= now) return 'it has expired';
  return refused ?? null;
}

export async function takeCodes(taking: ImportRun, codes: readonly CodeIntake[]): Promise<void> {
  const { tx, now, taken, outcome } = taking;
  for (const { code: text, owner, quota, note, expiresAt } of codes) {
    const code = readCode(text);
    const what = code === null ? `a code of "${note}"` : `code …${code.slice(-4)}`;
    const code_hash = sha256Hex(code ?? text);
    if (taken.find('code', code_hash) !== undefined) {
      outcome.before += 1;
      continue;
    }
    const fault =
      faultOfCode({ code, quota, expiresAt }, now) ?? ((await findCode(tx, code_hash)) && 'it already exists');
    if (fault) {
      outcome.notes.push(`${what} is skipped: ${fault}`);
      continue;
    }
    const made_by = taken.find('user', owner) ?? 0;
    const fields = { code_hash, code_end: text.slice(-4), quota, uses: 1, note: validName(note, 100, ''), made_by };
    const [row] = await insertCodes(tx, [{ ...fields, expires_at: expiresAt, created_at: now }]);
    await taken.add('code', code_hash, row!.id);
    outcome.codes.push(`${what}, $${quotaToUsd(quota)}`);
  }
}

function faultOfCode(
  { code, quota, expiresAt }: { code: string | null; quota: number; expiresAt: number },
  now: number,
): string | null {
  if (code === null) return 'it is not a valid code';
  if (expiresAt !== 0 && expiresAt <= now) return 'it has expired';
  return Number.isSafeInteger(quota) && quota > 0 ? null : 'it has no value';
}
