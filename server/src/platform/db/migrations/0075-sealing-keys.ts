import type { Migration } from '../migration.ts';

/** Characters of a key's id, which stands between the first two dots of sealed text. */
const idOf = `substr(credential, 4, 8)`;

/**
 * The keys that stored secrets are sealed with. Before it there are two places to tell from; a few texts that a key
 * lost long ago has left there do not count.
 */
export const migration: Migration = {
  name: '0075-sealing-keys',
  statements: ({ int }) => [
    `create table sealing_keys (id text primary key, used_from ${int} not null)`,
    `insert into sealing_keys (id, used_from)
      select id, 0 from (
        select ${idOf} as id from channels where credential like 's1.%'
        union all select ${idOf} as id from channel_credentials where credential like 's1.%'
      ) as sealed group by id order by count(*) desc limit 1`,
  ],
};
