/** An organisation with everything in it, and its directory. */
import { callback, type Thing, unreachable } from './thing.ts';

const organisation = '/api/organisations/{organisation}';
const team = `${organisation}/teams/{team}`;

export const ofOrganisations: Thing[] = [
  {
    name: 'organisation',
    make: async (who) => {
      const made = await who.ids('POST /api/organisations', { name: 'Acme' }, { organisation: 'id' });
      const add = async (request: string, body: unknown, names: Record<string, string>) =>
        Object.assign(made, await who.ids(request, body, names, made));
      await add(`POST ${organisation}/teams`, { name: 'Team' }, { team: 'id' });
      await add(`PUT ${team}/members/{user}`, {}, {});
      await add(`POST ${organisation}/keys`, { name: 'a', owner: 'team', team_id: made.team }, { key: 'id' });
      await add(
        `POST ${organisation}/budgets`,
        { level: 'team', level_id: made.team, window: 'month', amount: 9_000 },
        { budget: 'id' },
      );
      await add(
        `POST ${organisation}/invitations`,
        { team_id: made.team },
        { invitation: 'invitation.id', url: 'url' },
      );
      await add(
        `POST ${team}/own-keys`,
        { name: 'a', provider: 'p', credential: 'sk-of-the-team-0123456789' },
        { own: 'id' },
      );
      await add(`POST ${organisation}/scim/tokens`, { name: 'a' }, { token: 'id', scim: 'token' });
      await add('POST /scim/v2/Users', { userName: 'ada' }, { person: 'id' });
      await add('POST /scim/v2/Groups', { displayName: 'people', members: [{ value: made.person }] }, { group: 'id' });
      await add(
        'POST /api/oauth2/applications',
        { name: 'a', redirect_uris: [callback], scopes: 'openid' },
        { application: 'id' },
      );
      return { ...made, invited: `${made.url}`.split('#')[1]! };
    },
    acts: [
      [`PUT ${organisation}`, { name: 'Acme & Co', time_zone: 'Europe/Vienna' }],
      [`POST ${organisation}/webhook-secret`],
      [`DELETE ${organisation}/keys/{key}/previous`],
      [`POST ${organisation}/teams`, { name: 'Other' }],
      [`PUT ${team}`, { name: 'Same' }],
      [`PUT ${team}/members/{user}`, {}],
      [`PUT ${organisation}/members/{user}`, { role: 'owner' }],
      [`POST ${organisation}/keys`, ({ team }) => ({ name: 'a', owner: 'team', team_id: team })],
      [`PUT ${organisation}/keys/{key}`, { name: 'b' }],
      [`POST ${organisation}/keys/{key}/rotate`, { overlap_seconds: 600 }],
      [
        `POST ${organisation}/budgets`,
        ({ team }) => ({ level: 'team', level_id: team, window: 'day', amount: 5 }),
        'once',
      ],
      [`POST ${organisation}/budgets`, ({ key }) => ({ level: 'key', level_id: key, window: 'day', amount: 5 })],
      [`POST ${organisation}/budgets`, ({ user }) => ({ level: 'member', level_id: user, window: 'day', amount: 5 })],
      [`PUT ${organisation}/budgets/{budget}`, { amount: 7_000 }],
      [`PUT ${organisation}/limits/team/{team}`, { requests_per_minute: 9 }],
      [`PUT ${organisation}/limits/key/{key}`, { requests_per_minute: 9 }],
      [`PUT ${organisation}/limits/member/{user}`, { requests_per_minute: 9 }],
      [`POST ${organisation}/invitations`, ({ team }) => ({ team_id: team })],
      [`POST ${team}/own-keys`, { name: 'b', provider: 'q', credential: 'sk-of-the-team-0123456789' }],
      [`PUT ${team}/own-keys/{own}`, { name: 'c' }],
      [`POST ${organisation}/scim/tokens`, { name: 'b' }],
      ['PUT /api/oauth2/applications/{application}/owner', ({ team }) => ({ type: 'team', id: team })],
      [
        'POST /api/mcp/servers',
        ({ organisation }) => ({ name: 'theirs', url: unreachable, organisation_id: Number(organisation) }),
        'once',
      ],
      ['POST /scim/v2/Users', { userName: 'bob' }, 'once'],
      ['POST /scim/v2/Groups', ({ person }) => ({ displayName: 'more', members: [{ value: person }] }), 'once'],
      ['PUT /scim/v2/Users/{person}', { userName: 'eve' }],
      ['PATCH /scim/v2/Users/{person}', { Operations: [{ op: 'replace', value: { active: false } }] }],
      ['PUT /scim/v2/Groups/{group}', ({ person }) => ({ displayName: 'folk', members: [{ value: person }] })],
      [
        'PATCH /scim/v2/Groups/{group}',
        ({ person }) => ({ Operations: [{ op: 'add', path: 'members', value: [{ value: person }] }] }),
      ],
      ['other POST /api/invitations/accept', ({ invited }) => ({ token: invited }), 'once'],
    ],
    ends: [
      [`DELETE ${organisation}`],
      [`DELETE ${team}`],
      [`DELETE ${organisation}/keys/{key}`],
      [`DELETE ${organisation}/budgets/{budget}`],
      [`DELETE ${organisation}/invitations/{invitation}`],
      [`DELETE ${team}/own-keys/{own}`],
      [`DELETE ${organisation}/scim/tokens/{token}`],
      [`DELETE ${team}/members/{user}`],
      [`DELETE /scim/v2/Users/{person}`],
      [`DELETE /scim/v2/Groups/{group}`],
    ],
  },
];
