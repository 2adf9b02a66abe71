import type { Migration, Words } from '../migration.ts';
import { migration as identity } from './0001-identity.ts';
import { migration as durable } from './0002-durable.ts';

/*
 * The last build before the first version created its tables in other migrations, and not all of them. On PostgreSQL
 * its processes keep serving while the first ones of this version run; a SQLite file has a single process, so nothing
 * is kept for it there. The next release drops `billing_owners`, `oauth_audit`, `ms_runs.lease_until`, `jobs.token`,
 * the schema `pgboss` and the triggers.
 */

/** The last of its migrations. */
export const lastStep = '0016-filed-usage';

const made = ({ statements }: Migration, words: Words, table: string): string =>
  statements(words).find((statement) => statement.startsWith(`create table ${table} `))!;

const auditCopy = (
  from: string,
): string => `insert into audit_log (action, actor_id, target_type, target_id, ip, user_agent,
    metadata, created_at)
  select ${['event_type', 'user_id'].map((name) => from + name).join(', ')}, 'application',
    ${['application_id', 'ip_address', 'user_agent', 'metadata', 'created_at'].map((name) => from + name).join(', ')}`;

const usageColumns = ['cache_write_1h_tokens', 'audio_in_tokens', 'image_in_tokens', 'audio_out_tokens', 'estimated'];

/** Far in the future, so that its processes never consider the holder of our runs dead. */
const forEver = 9_007_199_254_740_991;

/** What its tables lack compared to the first version; everything its processes use stays on PostgreSQL. */
export const complete = (words: Words): string[] => [
  made(identity, words, 'audit_log'),
  ...['owners', 'leases', 'idempotency_keys'].map((table) => made(durable, words, table)),
  'alter table jobs add column owner text',
  `alter table jobs add column epoch ${words.int} not null default 0`,
  "update jobs set queue = 'accounts.delete' where queue = 'person.forget'",
  `alter table credits add column idempotency_id ${words.int}`,
  'create unique index credits_once on credits (idempotency_id)',
  "alter table provider_models add column prices text not null default ''",
  ...usageColumns.map((name) => `alter table usage_logs add column ${name} ${words.int} not null default 0`),
  "alter table usage_logs add column cost_parts text not null default ''",
  "create index ms_runs_running_user on ms_runs (user_id) where status = 'running'",
  `${auditCopy('')} from oauth_audit order by id`,
  ...(words.engine === 'sqlite'
    ? [
        'drop index ms_runs_lease',
        'alter table ms_runs drop column lease_until',
        'drop table oauth_audit',
        'drop table billing_owners',
      ]
    : [`alter table ms_runs alter column lease_until set default ${forEver}`]),
];

const trigger = (name: string, on: string, body: string): string[] => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`,
  `create trigger ${name} ${on} for each row execute function ${name}()`,
];

/** Makes its processes and ours see each other, so that neither takes over what a living one holds. */
const lists = [
  ...trigger(
    'svc_earlier_beats',
    'after insert or update or delete on billing_owners',
    `if tg_op = 'DELETE' then
      delete from owners where id = old.owner and slow = 1;
    elsif not exists (select from owners where id = new.owner and slow = 0) then
      insert into owners (id, beats, slow) values (new.owner, 0, 1)
        on conflict (id) do update set beats = owners.beats + 1;
    end if;
    return null;`,
  ),
  // It compares with the time of its own machine.
  ...trigger(
    'svc_earlier_hears',
    'after insert or update or delete on owners',
    `if tg_op = 'DELETE' then
      delete from billing_owners where owner = old.id;
    elsif new.slow = 0 then
      insert into billing_owners (owner, seen_at) values (new.id, extract(epoch from clock_timestamp())::bigint)
        on conflict (owner) do update set seen_at = excluded.seen_at;
    end if;
    return null;`,
  ),
  `insert into owners (id, beats, slow) select owner, 0, 1 from billing_owners
    where seen_at > extract(epoch from now())::bigint - 30 on conflict do nothing`,
];

/** Runs held by its processes are not taken over by ours before their lease expires, and none of ours by them. */
const runs = trigger(
  'svc_earlier_runs',
  'before update of owner on ms_runs',
  `if new.owner is null then
      new.lease_until := 0;
    elsif exists (select from owners where id = new.owner and slow = 0) then
      if old.owner is not null and old.lease_until <> ${forEver}
        and old.lease_until > extract(epoch from clock_timestamp()) * 1000 then return null; end if;
      new.lease_until := ${forEver};
    end if;
    return new;`,
);

const audit = trigger('svc_earlier_audit', 'after insert on oauth_audit', `${auditCopy('new.')}; return null;`);

/** Keeps both versions in sync while they run side by side; needs all tables of this version. */
export const sideBySide = ({ engine }: Words): string[] => (engine === 'sqlite' ? [] : [...lists, ...runs, ...audit]);
