import type { Generated, Selectable } from 'kysely';
import { deletingPast } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { all, first, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Write } from './approve.ts';
import { type Client, clientColumns, type Flat, readClient, type Under } from './columns.ts';
import { type Owner, ownerColumns, readOwner } from './lookups.ts';

interface DeviceCodesTable {
  id: Generated<number>;
  device_hash: string;
  user_code_hash: string;
  application_id: number;
  scope: string;
  /** 1 if `openid` was requested: an ID token follows. */
  openid: number;
  epoch: number;
  /** The device's polling interval; increased when it polls too fast. */
  interval_seconds: number;
  polled_at_ms: number | null;
  /** The user who answered. */
  user_id: number | null;
  /** Null until answered. */
  approved: number | null;
  /** JSON of a `SignIn`, as in codes. */
  sign_in: string | null;
  used_at: number | null;
  created_at: number;
  expires_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    oauth_device_codes: DeviceCodesTable;
  }
}

export type DeviceCodeRow = Selectable<DeviceCodesTable>;
export type NewDeviceCode = Pick<
  DeviceCodeRow,
  | 'device_hash'
  | 'user_code_hash'
  | 'application_id'
  | 'scope'
  | 'openid'
  | 'epoch'
  | 'interval_seconds'
  | 'created_at'
  | 'expires_at'
>;

/** False if one of its codes is in use. */
export async function insertDeviceCode(db: Db, row: NewDeviceCode): Promise<boolean> {
  const added = await db
    .insertInto('oauth_device_codes')
    .values(row)
    .onConflict((c) => c.doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

export const findByUserCode = (db: Db, userCodeHash: string): Promise<DeviceCodeRow | null> =>
  findRow(db, 'oauth_device_codes', { user_code_hash: userCodeHash });

const columns = ['id', 'application_id', 'scope', 'epoch', 'interval_seconds', 'user_id', 'approved'] as const;
const moreColumns = ['sign_in', 'used_at', 'expires_at'] as const;
const deviceColumns = [...columns, ...moreColumns].map((name) => `d.${name} as d_${name}`).join(', ');

export type PresentedDeviceCode = Pick<DeviceCodeRow, (typeof columns)[number] | (typeof moreColumns)[number]>;

const clientWithDevice = statement(`select ${clientColumns}, ${deviceColumns}, ${ownerColumns}
  from oauth_applications a
  left join oauth_device_codes d on d.device_hash = $2
  left join users u on u.id = d.user_id
  where a.client_id = $1`);

/** Client, code and answering user, in one read. */
export async function clientWithDeviceCode(
  db: Db,
  clientId: string,
  deviceHash: string,
): Promise<(Owner & { client: Client; code: PresentedDeviceCode | null }) | null> {
  const row = await first<Flat>(db, clientWithDevice, [clientId, deviceHash]);
  return row && { ...readOwner(row), client: readClient(row), code: row.d_id === null ? null : readDevice(row) };
}

const readDevice = (row: Flat): PresentedDeviceCode => {
  const from = row as Under<'d', PresentedDeviceCode>;
  return {
    id: from.d_id,
    application_id: from.d_application_id,
    scope: from.d_scope,
    epoch: from.d_epoch,
    interval_seconds: from.d_interval_seconds,
    user_id: from.d_user_id,
    approved: from.d_approved,
    sign_in: from.d_sign_in,
    used_at: from.d_used_at,
    expires_at: from.d_expires_at,
  };
};

/** Network jitter: a punctual poll may arrive this much early. */
const punctualMs = 500;

const poll = statement(`update oauth_device_codes set polled_at_ms = $2, interval_seconds = case
    when polled_at_ms is not null and $2 - polled_at_ms < interval_seconds * 1000 - ${punctualMs} then interval_seconds + 5
    else interval_seconds end
  where id = $1 returning interval_seconds`);

/**
 * Records a poll; true if it was too early, which increases the interval by five seconds. A concurrent poll makes this
 * one too early, so comparing with the previous read suffices.
 */
export async function tooSoon(db: Db, code: PresentedDeviceCode, nowMs: number): Promise<boolean> {
  const [row] = await all<{ interval_seconds: number }>(db, poll, [code.id, nowMs]);
  return row !== undefined && Number(row.interval_seconds) > code.interval_seconds;
}

const approve = statement(
  'update oauth_device_codes set approved = 1, user_id = $2 where id = $1 and approved is null returning id',
);
const grant = statement('update oauth_device_codes set scope = $2, sign_in = $3 where id = $1');

export const approvingDevice = ({ id }: DeviceCodeRow, userId: number): Write => ({
  statement: approve,
  values: [id, userId],
});
/** What was approved, possibly less than requested. */
export const grantingDevice = ({ id }: DeviceCodeRow, scope: string, signIn: string | null): Write => ({
  statement: grant,
  values: [id, scope, signIn],
});

/** False if it was answered before. */
export async function denyDevice(db: Db, { id }: DeviceCodeRow, userId: number): Promise<boolean> {
  const result = await db
    .updateTable('oauth_device_codes')
    .set({ approved: 0, user_id: userId })
    .where('id', '=', id)
    .where('approved', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export const deleteOldDeviceCodes = deletingPast('oauth_device_codes', 'id', 'expires_at');
