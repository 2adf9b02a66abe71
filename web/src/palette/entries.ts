import { IconApps, IconCube, IconKey, IconPlugConnected, IconUser } from '@tabler/icons-react';
import { calledOf, isOrganisation, kindOf } from '../account-name.ts';
import { t } from '../language/words.ts';
import { priceWords } from '../model-facts.ts';
import type { OfferedModel } from '../models.ts';
import { navigationFor } from '../navigation.ts';
import type { User } from '../session.ts';
import type { Entry } from './find.ts';

export const pageGroup = t('Pages');

/** The pages of the navigation that this user may open. */
export const pageEntries = (user: Pick<User, 'role'>): Entry[] =>
  navigationFor(user).flatMap(({ label: group, entries }) =>
    entries.map(({ label, path, icon, hint }) => ({
      key: `page ${path}`,
      group: pageGroup,
      label,
      // Two pages may have the same name; the group tells them apart.
      hint: group ?? hint,
      words: [group, hint].join(' '),
      icon,
      to: { to: path },
    })),
  );

export const modelEntries = (models: readonly OfferedModel[]): Entry[] =>
  models.map((model) => ({
    key: `model ${model.id}`,
    group: t('Models'),
    label: model.id,
    hint: priceWords(model),
    words: model.name,
    icon: IconCube,
    to: { to: '/models/$', params: { _splat: model.id } },
  }));

interface Named {
  id: number;
  name: string;
}

export const keyEntries = (keys: readonly Named[]): Entry[] =>
  keys.map(({ id, name }) => ({
    key: `key ${id}`,
    group: t('Keys'),
    label: name,
    icon: IconKey,
    to: { to: '/keys', search: { open: String(id) } },
  }));

export const applicationEntries = (applications: readonly Named[]): Entry[] =>
  applications.map(({ id, name }) => ({
    key: `application ${id}`,
    group: t('Applications'),
    label: name,
    icon: IconApps,
    to: { to: '/applications/$id', params: { id: String(id) } },
  }));

export const channelEntries = (channels: readonly (Named & { provider: string })[]): Entry[] =>
  channels.map(({ id, name, provider }) => ({
    key: `channel ${id}`,
    group: t('Channels'),
    label: name,
    hint: provider,
    icon: IconPlugConnected,
    to: { to: '/admin/channels', search: { open: String(id) } },
  }));

type Person = Pick<User, 'id' | 'username' | 'display_name' | 'email'>;

function hintOf(user: Person): string {
  if (isOrganisation(user)) return kindOf(user);
  return user.display_name === user.username ? user.email : user.display_name;
}

export const userEntries = (users: readonly Person[]): Entry[] =>
  users.map((user) => ({
    key: `user ${user.id}`,
    group: t('Users'),
    label: calledOf(user),
    hint: hintOf(user),
    words: `${user.display_name} ${user.email}`,
    icon: IconUser,
    to: { to: `/admin/users/${user.id}` },
  }));
