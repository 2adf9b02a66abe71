import { z } from 'zod';
import { maybeJson } from '../../lib/maybe-json.ts';

/*
 * Rows of new-api and of one-api, its origin. With three databases and years of versions, a column may be missing,
 * empty or of another type; it is read as the program itself would.
 */

/** SQLite returns bytes for what the program wrote as such. */
const decoded = (value: unknown): unknown => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
const text = z.preprocess((value) => decoded(value) ?? '', z.coerce.string().trim());
const number = z.preprocess((value) => value ?? 0, z.coerce.number());
const flag = z.preprocess((value) => value === true || Number(value) === 1, z.boolean());
const json = z.preprocess((value) => {
  const plain = decoded(value);
  return typeof plain === 'string' ? maybeJson(plain) : plain;
}, z.record(z.string(), z.unknown()).catch({}));

/** Soft deletion; other tables lack the column. */
const deleted_at = z.unknown().optional();

export const channelRow = z.object({
  id: number,
  type: number,
  key: text,
  status: number,
  name: text,
  weight: number,
  created_time: number,
  base_url: text,
  other: text,
  models: text,
  group: text,
  model_mapping: json,
  priority: number,
  /** Disabled keys, by position. */
  channel_info: json,
  /** Only in one-api. */
  config: json.optional(),
  /** Request transformations. */
  setting: text,
  settings: text,
  param_override: text,
  header_override: text,
  status_code_mapping: text,
  system_prompt: text,
  open_ai_organization: text,
});
export type ChannelRow = z.infer<typeof channelRow>;

export const userRow = z.object({
  id: number,
  username: text,
  password: text,
  display_name: text,
  role: number,
  status: number,
  email: text,
  quota: number,
  group: text,
  aff_code: text,
  deleted_at,
});
export type UserRow = z.infer<typeof userRow>;

export const tokenRow = z.object({
  id: number,
  user_id: number,
  key: text,
  status: number,
  name: text,
  expired_time: number,
  remain_quota: number,
  unlimited_quota: flag,
  model_limits_enabled: flag,
  model_limits: text,
  allow_ips: text,
  group: text,
  /** One-api's names for model limits and addresses. */
  models: text,
  subnet: text,
  deleted_at,
});
export type TokenRow = z.infer<typeof tokenRow>;

export const redemptionRow = z.object({
  id: number,
  user_id: number,
  key: text,
  status: number,
  name: text,
  quota: number,
  expired_time: number,
  deleted_at,
});
export type RedemptionRow = z.infer<typeof redemptionRow>;

export const optionRow = z.object({ key: text, value: text });

/** Everything read from such a database. */
export interface Rows {
  channels: ChannelRow[];
  users: UserRow[];
  tokens: TokenRow[];
  redemptions: RedemptionRow[];
  options: Map<string, string>;
}
