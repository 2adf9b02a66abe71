import type { Member } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { openWorld, type World } from '../organisations.fixture.ts';

export type Resource = Record<string, unknown> & {
  id: string;
  detail: string;
  Resources: Resource[];
  members: { value: string }[];
};
export interface Told {
  status: number;
  type: string;
  location: string | null;
  body: Resource;
}
export type Caller = (method: string, path: string, body?: unknown) => Promise<Told>;

interface Shown {
  user_id: number;
  role: string;
  teams: number[];
  directory: boolean;
}
interface ShownAct {
  action: string;
  actor: { name: string };
  after: Record<string, unknown>;
}

/** Okta's, with much that is not kept. */
export const oktaUser = (userName: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { primary: false, value: 'ada@home.example', type: 'home' },
    { primary: true, value: userName, type: 'work' },
  ],
  displayName: 'Ada Lovelace',
  locale: 'en-US',
  externalId: `00u${userName}`,
  groups: [],
  password: '1mz050nq',
  active: true,
});

export const patch = (...Operations: unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

export const callingWith =
  (world: World) =>
  (token: string): Caller =>
  async (method, path, body) => {
    const answer = await world.t.call(`/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      location: answer.headers.get('location'),
      body: (text === '' ? {} : JSON.parse(text)) as Resource,
    };
  };

let people = 0;
export const newAddress = (): string => {
  people += 1;
  return `Person.${people}@acme.example`;
};

/** The service, an organisation, and its directory. */
export async function openDirectory() {
  const clock = manualClock(Date.UTC(2026, 10, 16, 12));
  const world = await openWorld({ clock });
  const calling = callingWith(world);
  const at = (organisationId: number, rest = '') => `/api/organisations/${organisationId}${rest}`;
  const newOrganisation = async (by: Member): Promise<{ organisationId: number; call: Caller }> => {
    const { data } = await world.send(by, 'POST', '/api/organisations', { name: 'Acme' });
    const made = await world.send<{ token: string }>(by, 'POST', at(data.id, '/scim/tokens'), { name: 'Okta' });
    return { organisationId: data.id, call: calling(made.data.token) };
  };
  const owner = await world.t.user();
  const { organisationId: id, call: directory } = await newOrganisation(owner);
  const verify = ({ id: userId }: Member, email: string) =>
    world.t.platform.database.db
      .updateTable('users')
      .set({ email, email_verified: 1 })
      .where('id', '=', userId)
      .execute();
  /** Somebody whose address is verified. */
  const person = async (email: string): Promise<Member> => {
    const member = await world.t.user();
    await verify(member, email);
    return member;
  };
  const create = async (userName = newAddress()) => (await directory('POST', '/Users', oktaUser(userName))).body;
  const membersIn = async () => (await world.send<{ members: Shown[] }>(owner, 'GET', at(id, '/members'))).data.members;
  return {
    ...{ clock, world, owner, id, directory, calling, newOrganisation, verify, person, create },
    org: (rest = '', organisation = id) => at(organisation, rest),
    /** Somebody whom the directory means, and who has come. */
    joined: async (email = newAddress()) => {
      const { id: userId } = await create(email);
      const member = await person(email);
      const { status, message } = await world.send(member, 'PUT', at(id, '/membership'));
      if (status !== 200) throw new Error(message);
      return { member, userId };
    },
    memberOf: async (member: Member) => (await membersIn()).find(({ user_id }) => user_id === member.id),
    acts: async () => (await world.send<{ logs: ShownAct[] }>(owner, 'GET', at(id, '/audit'))).data.logs,
  };
}
