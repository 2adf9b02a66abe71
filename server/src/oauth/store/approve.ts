import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { CompiledQuery } from 'kysely';
import { randomString } from '../../lib/ids.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { all, execute, type Statement, statement } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { Batcher } from '../../platform/durable/batch.ts';
import type { SignIn } from '../openid/sign-in.ts';
import { consentOf } from './consents.ts';
import type { CodeRow, ConsentRow } from './tables.ts';

/** A statement with its values. */
export interface Write {
  statement: Statement;
  values: (string | number | null)[];
}

/** A spending limit, and what it means for allowances that the consent has opened. */
export interface NewSpending {
  limit: number;
  window: string;
  limits(consent: ConsentRow): NewLimit[];
}

/** Both in one transaction. */
export interface NewLimit {
  /** Returns the `id` of the allowance's key, if it is open, and locks it. */
  hold: Write;
  limit(keyId: number): Write;
}

/** What a user has approved. */
interface Approval {
  user_id: number;
  application_id: number;
  epoch: number;
  created_at: number;
  /** If an ID token was requested. */
  sign_in: Omit<SignIn, 'sid'> | null;
  /** What the approval consumes, executed first; if it returns no row, nothing else is written. */
  spend: Write | null;
  spending: NewSpending | null;
  /** The grant that follows from the consent, given the stored sign-in. */
  grant(signIn: string | null): Write;
}

/** What the consent contains afterwards. */
type Merge = (existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null) => string;

interface ApprovedConsent {
  /** Its content if it is new or has grown, null if unchanged. */
  consent: string | null;
  /** The keys of allowances whose limit has changed; null if the consent had none. */
  limited: number[] | null;
}

/** `session_ended` and `spent`: nothing was written. */
type Approved = ApprovedConsent | 'session_ended' | 'spent';

/** Writes the consent and what it grants, all or nothing. */
export interface Approvals {
  approve(approval: Approval, merge: Merge, sessionId: number): Promise<Approved>;
}

const session = statement('select id from sessions where id = $1 and user_id = $2');

const addConsent =
  statement(`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at, spending_limit, spending_window)
  values ($1, $2, $3, $4, $5, $5, $6, $7) on conflict (user_id, application_id) do nothing returning id`);
const changeConsent = statement(
  `update oauth_consents set scopes = $1, epoch = $2, updated_at = $3, spending_limit = $4, spending_window = $5 where id = $6`,
);
const addCode =
  statement(`insert into oauth_codes (code_hash, application_id, user_id, redirect_uri, scope, state, code_challenge,
  code_challenge_method, epoch, created_at, expires_at, sign_in, dpop_jkt, resource)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`);
/** An application knows a session by one id, however often it signs in. */
const addSignIn = statement(`insert into oauth_sign_ins (session_id, application_id, user_id, sid, created_at)
  values ($1, $2, $3, $4, $5)
  on conflict (session_id, application_id) do update set created_at = excluded.created_at returning sid`);

const consentValues = (approval: Approval, merge: Merge) =>
  [
    ...[approval.user_id, approval.application_id, merge(null), approval.epoch, approval.created_at],
    ...[approval.spending?.limit ?? null, approval.spending?.window ?? 'total'],
  ] as const;
const signInValues = (approval: Approval, sessionId: number) =>
  [sessionId, approval.application_id, approval.user_id, randomString(32), approval.created_at] as const;
const grantOf = ({ sign_in, grant }: Approval, sid: string | undefined): Write =>
  grant(sign_in && JSON.stringify({ ...sign_in, sid }));

/** An authorization code, as the grant of a consent. */
export const writeCode = (code: Omit<CodeRow, 'id' | 'used_at' | 'sign_in'>, signIn: string | null): Write => ({
  statement: addCode,
  values: [
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
    signIn,
    code.dpop_jkt,
    code.resource,
  ],
});

/** The values of a changed consent, or null. */
function widened(
  existing: ConsentRow,
  approval: Approval,
  merge: Merge,
): [string, number, number, number | null, string, number] | null {
  const { epoch, created_at, spending } = approval;
  const scopes = merge(existing);
  if (scopes === existing.scopes && existing.epoch === epoch && spending === null) return null;
  const { limit, window } = spending ?? { limit: existing.spending_limit, window: existing.spending_window };
  return [scopes, epoch, created_at, limit, window, existing.id];
}

/** Whether an earlier limit is changed, under which money may be held. */
const limitsAgain = (existing: ConsentRow, { spending }: Approval): NewSpending | null =>
  existing.spending_limit === null ? null : spending;

/** The scopes, if they or the right to spend are new; another limit is no new consent. */
const grownTo = (existing: ConsentRow, { epoch, spending }: Approval, merge: Merge): string | null => {
  const scopes = merge(existing);
  const maySpend = existing.spending_limit !== null || spending === null;
  return scopes === existing.scopes && existing.epoch === epoch && maySpend ? null : scopes;
};

export function openApprovals(db: Db): Approvals {
  return engineOf(db) === 'postgres' ? postgresApprovals(db) : sqliteApprovals(db);
}

/** Locked, so that two concurrent approvals do not overwrite each other's scopes. */
const heldConsent = CompiledQuery.raw(`${consentOf.postgres.sql} for update`);
/** Locked, so that ending the session waits for the approval. */
const heldSession = CompiledQuery.raw(`${session.postgres.sql} for share`);

function postgresApprovals(db: Db): Approvals {
  const run = (tx: Db, { statement: text, values }: Write) => all(tx, text, values);
  return {
    approve: (approval, merge, sessionId) =>
      db.transaction().execute(async (tx): Promise<Approved> => {
        if ((await execute(tx, heldSession, [sessionId, approval.user_id])).length === 0) return 'session_ended';
        if (approval.spend && (await run(tx, approval.spend)).length === 0) return 'spent';
        const consent = await consentInPostgres(tx, approval, merge);
        const [signIn] = approval.sign_in
          ? await all<{ sid: string }>(tx, addSignIn, [...signInValues(approval, sessionId)])
          : [];
        await run(tx, grantOf(approval, signIn?.sid));
        return consent;
      }),
  };
}

/** A consent revoked before it was locked must be given again: nothing is granted without one. */
async function consentInPostgres(tx: Db, approval: Approval, merge: Merge): Promise<ApprovedConsent> {
  for (;;) {
    const added = await all(tx, addConsent, [...consentValues(approval, merge)]);
    if (added.length > 0) return { consent: merge(null), limited: null };
    const [existing] = await execute<ConsentRow>(tx, heldConsent, [approval.user_id, approval.application_id]);
    if (!existing) continue;
    const change = widened(existing, approval, merge);
    if (change) await all(tx, changeConsent, change);
    const limited = limitsAgain(existing, approval)?.limits(existing) ?? null;
    const keys: number[] = [];
    for (const { hold, limit } of limited ?? []) {
      const [held] = await all<{ id: number }>(tx, hold.statement, hold.values);
      if (!held) continue;
      const { statement, values } = limit(held.id);
      await all(tx, statement, values);
      keys.push(held.id);
    }
    return { consent: grownTo(existing, approval, merge), limited: limited && keys };
  }
}

/** Concurrent approvals share a transaction, in which each sees the previous ones. */
function sqliteApprovals(db: Db): Approvals {
  const batcher = new Batcher<{ approval: Approval; merge: Merge; sessionId: number }, Approved>((items) =>
    writeSync(db, (writer) =>
      items.map(({ approval, merge, sessionId }) => approveOne(writer, approval, merge, sessionId)),
    ),
  );
  return { approve: (approval, merge, sessionId) => batcher.add({ approval, merge, sessionId }) };
}

function approveOne(writer: Database, approval: Approval, merge: Merge, sessionId: number): Approved {
  if (!prepared(writer, session.sqlite.sql).get(sessionId, approval.user_id)) return 'session_ended';
  const { spend } = approval;
  if (spend && !prepared(writer, spend.statement.sqlite.sql).get(...spend.values)) return 'spent';
  const consent = consentInSqlite(writer, approval, merge);
  const known = prepared<{ sid: string }, SQLQueryBindings[]>(writer, addSignIn.sqlite.sql);
  const signIn = approval.sign_in ? known.get(...signInValues(approval, sessionId)) : null;
  const last = grantOf(approval, signIn?.sid);
  prepared(writer, last.statement.sqlite.sql).run(...last.values);
  return consent;
}

function consentInSqlite(writer: Database, approval: Approval, merge: Merge): ApprovedConsent {
  if (prepared(writer, addConsent.sqlite.sql).get(...consentValues(approval, merge)))
    return { consent: merge(null), limited: null };
  const find = prepared<ConsentRow, [number, number]>(writer, consentOf.sqlite.sql);
  const existing = find.get(approval.user_id, approval.application_id)!;
  const change = widened(existing, approval, merge);
  if (change) prepared(writer, changeConsent.sqlite.sql).run(...change);
  const limited = limitsAgain(existing, approval)?.limits(existing) ?? null;
  const keys = limited?.flatMap((one) => limitInSqlite(writer, one) ?? []) ?? null;
  return { consent: grownTo(existing, approval, merge), limited: keys };
}

function limitInSqlite(writer: Database, { hold, limit }: NewLimit): number | null {
  const find = prepared<{ id: number }, SQLQueryBindings[]>(writer, hold.statement.sqlite.sql);
  const held = find.get(...hold.values);
  if (!held) return null;
  const { statement, values } = limit(held.id);
  prepared(writer, statement.sqlite.sql).run(...values);
  return held.id;
}
