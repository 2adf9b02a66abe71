import type { Database } from 'bun:sqlite';
import { CompiledQuery } from 'kysely';
import { randomString } from '../../lib/ids.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { all, execute, statement } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { Batcher } from '../../platform/durable/batch.ts';
import type { SignIn } from '../openid/sign-in.ts';
import { consentOf } from './consents.ts';
import type { CodeRow, ConsentRow } from './tables.ts';

export type NewCode = Omit<CodeRow, 'id' | 'used_at' | 'sign_in'> & {
  /** Where an ID token was asked for. */
  sign_in: Omit<SignIn, 'sid'> | null;
};
/** What the consent holds afterwards. */
type Merge = (existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null) => string;
/** What the application may spend, where the consent does not say so already. */
type FirstSpending = { limit: number; window: string } | null;

/** Writes the consent and the code it allows, both or neither; neither (false) when the session has ended meanwhile. */
export interface Approvals {
  approve(code: NewCode, merge: Merge, sessionId: number, spending: FirstSpending): Promise<boolean>;
}

interface Approval {
  code: NewCode;
  merge: Merge;
  sessionId: number;
  spending: FirstSpending;
}

const session = statement('select id from sessions where id = $1 and user_id = $2');

const addConsent =
  statement(`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at, spending_limit, spending_window)
  values ($1, $2, $3, $4, $5, $5, $6, $7) on conflict (user_id, application_id) do nothing returning id`);
const changeConsent = statement(
  `update oauth_consents set scopes = $1, epoch = $2, updated_at = $3, spending_limit = $4, spending_window = $5 where id = $6`,
);
const addCode = statement(`insert into oauth_codes (code_hash, application_id, user_id, redirect_uri, scope, state,
  code_challenge, code_challenge_method, epoch, created_at, expires_at, sign_in) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`);
/** An application knows a session by the same name however often it signs in. */
const addSignIn = statement(`insert into oauth_sign_ins (session_id, application_id, user_id, sid, created_at)
  values ($1, $2, $3, $4, $5)
  on conflict (session_id, application_id) do update set created_at = excluded.created_at returning sid`);

const consentValues = ({ code, merge, spending }: Approval) =>
  [
    code.user_id,
    code.application_id,
    merge(null),
    code.epoch,
    code.created_at,
    spending?.limit ?? null,
    spending?.window ?? 'total',
  ] as const;
const signInValues = (code: NewCode, sessionId: number) =>
  [sessionId, code.application_id, code.user_id, randomString(32), code.created_at] as const;
const codeValues = (code: NewCode, sid: string | undefined) =>
  [
    code.code_hash,
    code.application_id,
    code.user_id,
    code.redirect_uri,
    code.scope,
    code.state,
    code.code_challenge,
    code.code_challenge_method,
    code.epoch,
    code.created_at,
    code.expires_at,
    code.sign_in && JSON.stringify({ ...code.sign_in, sid }),
  ] as const;

/** The values of a consent that has to change, or null. */
function widened(
  existing: ConsentRow | undefined,
  { code, merge, spending }: Approval,
): [string, number, number, number | null, string, number] | null {
  if (!existing) return null;
  const scopes = merge(existing);
  const limited = existing.spending_limit !== null || spending === null;
  if (scopes === existing.scopes && existing.epoch === code.epoch && limited) return null;
  const { limit, window } =
    limited || spending === null ? { limit: existing.spending_limit, window: existing.spending_window } : spending;
  return [scopes, code.epoch, code.created_at, limit, window, existing.id];
}

export function openApprovals(db: Db): Approvals {
  return engineOf(db) === 'postgres' ? postgresApprovals(db) : sqliteApprovals(db);
}

/** Two approvals at once must not each forget what the other added, so the consent is held. */
const heldConsent = CompiledQuery.raw(`${consentOf.postgres.sql} for update`);
/** Whoever ends the session waits for the approval, and takes nothing away that comes after it. */
const heldSession = CompiledQuery.raw(`${session.postgres.sql} for share`);

function postgresApprovals(db: Db): Approvals {
  return {
    approve: (code, merge, sessionId, spending) =>
      db.transaction().execute(async (tx) => {
        const approval = { code, merge, sessionId, spending };
        if ((await execute(tx, heldSession, [sessionId, code.user_id])).length === 0) return false;
        const added = await all(tx, addConsent, [...consentValues(approval)]);
        if (added.length === 0) {
          const [existing] = await execute<ConsentRow>(tx, heldConsent, [code.user_id, code.application_id]);
          const change = widened(existing, approval);
          if (change) await all(tx, changeConsent, change);
        }
        const [signIn] = code.sign_in
          ? await all<{ sid: string }>(tx, addSignIn, [...signInValues(code, sessionId)])
          : [];
        await all(tx, addCode, [...codeValues(code, signIn?.sid)]);
        return true;
      }),
  };
}

/** Approvals that come together share a transaction, in which each sees what those before it added. */
function sqliteApprovals(db: Db): Approvals {
  const batcher = new Batcher<Approval, boolean>((items) =>
    writeSync(db, (writer) => items.map((approval) => approveOne(writer, approval))),
  );
  return {
    approve: (code, merge, sessionId, spending) => batcher.add({ code, merge, sessionId, spending }),
  };
}

function approveOne(writer: Database, approval: Approval): boolean {
  const { code, sessionId } = approval;
  if (!prepared(writer, session.sqlite.sql).get(sessionId, code.user_id)) return false;
  const added = prepared(writer, addConsent.sqlite.sql).get(...consentValues(approval));
  if (!added) {
    const find = prepared<ConsentRow, [number, number]>(writer, consentOf.sqlite.sql);
    const change = widened(find.get(code.user_id, code.application_id) ?? undefined, approval);
    if (change) prepared(writer, changeConsent.sqlite.sql).run(...change);
  }
  const known = prepared<{ sid: string }, ReturnType<typeof signInValues>[number][]>(writer, addSignIn.sqlite.sql);
  const signIn = code.sign_in ? known.get(...signInValues(code, sessionId)) : null;
  prepared(writer, addCode.sqlite.sql).run(...codeValues(code, signIn?.sid));
  return true;
}
