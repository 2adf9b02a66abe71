import { groupSchema, type Resource, userSchema } from './views.ts';

/** Supported features and schemas (RFC 7643 §5–7). */

export const mostListed = 200;

export const serviceProviderConfig = (root: string): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostListed },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Token of the organisation',
      description: 'Created by an owner of the organisation and sent as Authorization: Bearer',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
});

const resourceType = (root: string, name: string, endpoint: string, schema: string): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  ...{ id: name, name, endpoint, schema },
  meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${name}` },
});

export const resourceTypes = (root: string): Resource[] => [
  resourceType(root, 'User', '/Users', userSchema),
  resourceType(root, 'Group', '/Groups', groupSchema),
];

interface Kind {
  type?: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  uniqueness?: 'none' | 'server';
  subAttributes?: object[];
  referenceTypes?: string[];
}

const attribute = (name: string, description: string, kind: Kind = {}) => ({
  ...{ name, description, type: 'string', multiValued: false, required: false, caseExact: false },
  ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none', ...kind },
});

const userAttributes = [
  attribute('userName', 'Unique in the organisation', { required: true, uniqueness: 'server' }),
  attribute('name', 'Name of the user', {
    type: 'complex',
    subAttributes: [
      attribute('givenName', 'Given name'),
      attribute('familyName', 'Family name'),
      attribute('formatted', 'Full name, composed of both'),
    ],
  }),
  attribute('displayName', 'Full display name'),
  attribute('emails', 'Only one is stored: the primary one, otherwise the work address', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address'),
      attribute('type', 'work'),
      attribute('primary', 'Always true', { type: 'boolean' }),
    ],
  }),
  attribute('active', 'Whether the user may be in the organisation', { type: 'boolean' }),
];

const groupAttributes = [
  attribute('displayName', 'Name of the team', { required: true, caseExact: true, uniqueness: 'server' }),
  attribute('members', 'Users of the directory', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of a user'),
      attribute('$ref', 'URI of the user', { type: 'reference', referenceTypes: ['User'] }),
      attribute('display', 'userName of the user'),
      attribute('type', 'User'),
    ],
  }),
];

const schema = (root: string, id: string, name: string, attributes: object[]): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  ...{ id, name, attributes },
  meta: { resourceType: 'Schema', location: `${root}/Schemas/${id}` },
});

export const schemas = (root: string): Resource[] => [
  schema(root, userSchema, 'User', userAttributes),
  schema(root, groupSchema, 'Group', groupAttributes),
];
