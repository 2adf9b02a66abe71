import { formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { windowWords } from './budget-fields.ts';
import { type Level, type LevelNames, levels, placeName } from './levels.ts';
import type { Act } from './organisation-queries.ts';
import { roleInWords } from './organisation-words.ts';

/** Audit actions as text. They start with the verb: who acted is shown in a column of its own. */
const words: Record<string, string> = {
  organisation_created: t('Created the organisation'),
  organisation_updated: t('Changed the organisation'),
  organisation_webhook_secret_rotated: t('Rotated the webhook secret'),
  organisation_responses_deleted: t('Deleted all responses and conversations'),
  team_created: t('Created a team'),
  team_updated: t('Renamed a team'),
  team_deleted: t('Deleted a team'),
  team_member_added: t('Added a member to a team'),
  team_member_removed: t('Removed a member from a team'),
  member_invited: t('Invited a member'),
  invitation_deleted: t('Revoked an invitation'),
  member_joined: t('Joined##act'),
  member_updated: t('Changed a role'),
  member_removed: t('Removed a member'),
  scim_token_created: t('Created a directory token'),
  scim_token_deleted: t('Removed a directory token'),
  scim_user_created: t('Added a directory user'),
  scim_user_updated: t('Updated a directory user'),
  scim_user_deleted: t('Removed a directory user'),
  organisation_key_created: t('Created a key'),
  organisation_key_updated: t('Changed a key'),
  organisation_key_deleted: t('Revoked a key'),
  organisation_key_rotated: t('Rotated a key'),
  organisation_key_overlap_ended: t('Revoked the old secret of a key'),
  team_own_key_created: t('Added a team provider key'),
  team_own_key_updated: t('Changed a team provider key'),
  team_own_key_deleted: t('Removed a team provider key'),
  team_own_key_tested: t('Tested a team provider key'),
  budget_created: t('Set a budget'),
  budget_updated: t('Changed a budget'),
  budget_deleted: t('Deleted a budget'),
  limits_set: t('Set limits'),
  limits_deleted: t('Removed limits'),
  mcp_server_created: t('Connected a server'),
  mcp_server_updated: t('Changed a server'),
  mcp_server_deleted: t('Disconnected a server'),
  mcp_server_tested: t('Tested a server'),
  mcp_tools_set: t('Allowed tools'),
  mcp_tool_approved: t('Approved a tool'),
  mcp_authorization_removed: t('Signed out of a server'),
};

export const actWords = ({ action }: Pick<Act, 'action'>): string => words[action] ?? action;

const named = (level: Level) => (id: unknown, known: LevelNames) => placeName(known, { level, level_id: Number(id) });
const listed = (tell: (names: string) => string) => (names: unknown) =>
  Array.isArray(names) && names.length > 0 ? tell(names.join(', ')) : null;
const aMinute = (tell: (count: number) => string) => (count: unknown) =>
  Number(count) > 0 ? tell(Number(count)) : null;

const namesIn = (tools: unknown): unknown =>
  Array.isArray(tools) ? tools.map((tool: { name?: unknown }) => tool.name) : null;

/** Formats each field of an audit entry as text. Fields without an entry are internal and not shown. */
const tellers: Record<string, (value: unknown, known: LevelNames) => string | null> = {
  mcp_server: String,
  name: String,
  user_name: String,
  active: (active) => (active ? t('active##person') : t('inactive##person')),
  role: (role) => t('as {role}', { role: roleInWords(String(role)) }),
  email: (email) => (email === '' ? t('by link') : String(email)),
  team_id: named('team'),
  user_id: named('member'),
  amount: (amount) => formatQuota(Number(amount)),
  window: (window) => windowWords[window as keyof typeof windowWords] ?? String(window),
  hard: (hard) => (hard ? t('rejects requests over budget') : t('only warns')),
  requests_per_minute: aMinute((count) =>
    t('{count, plural, one {# request per minute} other {# requests per minute}}', { count }),
  ),
  tokens_per_minute: aMinute((count) =>
    t('{count, plural, one {# token per minute} other {# tokens per minute}}', { count }),
  ),
  models: listed((names) => t('models: {names}', { names })),
  providers: listed((names) => t('providers: {names}', { names })),
  url: String,
  enabled: (enabled) => (enabled ? t('enabled##act') : t('disabled##act')),
  tools: (tools) => listed((names) => t('tools: {names}', { names }))(namesIn(tools)),
  time_zone: String,
  balance: (balance) => (balance === 'shared' ? t('the organisation pays') : t('each member pays')),
  webhook_url: (url) => (url === '' ? t('no webhook') : String(url)),
};

export function actDetails(
  { action, metadata, after }: Pick<Act, 'action' | 'metadata' | 'after'>,
  known: LevelNames,
): string {
  const told: Record<string, unknown> = { ...metadata, ...after };
  // The entry has the team's name at that time; do not also show its current name.
  if (action.startsWith('team_') && told.name) delete told.team_id;
  // For entries about a server, `mcp_server` already contains the name.
  if (told.mcp_server) delete told.name;
  const level = levels.find((one) => one === told.level);
  const place = level && placeName(known, { level, level_id: Number(told.level_id) });
  const rest = Object.entries(tellers).flatMap(([name, tell]) => {
    const value = told[name];
    return value === undefined || value === null ? [] : [tell(value, known)];
  });
  return [place, ...rest].filter(Boolean).join(t(', ##of an act'));
}
