import { Badge, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import {
  IconChartBar,
  IconId,
  IconKey,
  IconListDetails,
  IconMail,
  IconShield,
  IconSparkles,
  IconUserEdit,
  type TablerIcon,
} from '@tabler/icons-react';
import { serverText } from '../language/server-texts.ts';
import { t } from '../language/words.ts';

interface ScopeWords {
  icon: TablerIcon;
  /** Short name, for lists. */
  title: string;
  /** What an application with this scope can do. */
  detail: string;
}

/** Explains each scope to users before they consent. */
export const scopeWords: Record<string, ScopeWords> = {
  openid: {
    icon: IconId,
    title: t('Who you are'),
    detail: t('See your username, display name, picture and role'),
  },
  email: { icon: IconMail, title: t('Email address'), detail: t('See your email address and whether it is verified') },
  profile: {
    icon: IconUserEdit,
    title: t('Profile'),
    detail: t('See your group and when you joined; change your display name and picture'),
  },
  'tokens:read': {
    icon: IconListDetails,
    title: t('List API keys'),
    detail: t('See the names, dates and status of your API keys, never the keys themselves'),
  },
  'tokens:write': {
    icon: IconKey,
    title: t('Create and delete API keys'),
    detail: t('Create API keys that spend your credits, and delete keys you have'),
  },
  'usage:read': {
    icon: IconChartBar,
    title: t('Balance and usage'),
    detail: t('See your balance and what you have used'),
  },
  'models:use': {
    icon: IconSparkles,
    title: t('Use models'),
    detail: t(
      'Use models on your behalf and spend your credits, up to a limit you set; see your files, responses and videos',
    ),
  },
};

export const splitScopes = (text: string): string[] => text.split(' ').filter((name) => name !== '');

interface AskedScope {
  name: string;
  description?: string;
}

/** The permissions of an application, one per line; new ones are marked. */
export function ScopeList({ scopes, added = [] }: { scopes: AskedScope[]; added?: string[] }) {
  return (
    <Stack component="ul" gap="sm" className="svc-plain-list">
      {scopes.map(({ name, description }) => {
        const {
          icon: Icon = IconShield,
          title = name,
          detail = description && serverText(description),
        } = scopeWords[name] ?? {};
        return (
          <Group component="li" key={name} gap="sm" wrap="nowrap" align="flex-start">
            <ThemeIcon variant="light" color="gray" size={32}>
              <Icon size={18} stroke={1.7} aria-hidden />
            </ThemeIcon>
            <div>
              <Group gap={6}>
                <Text size="sm" fw={600}>
                  {title}
                </Text>
                {added.includes(name) && (
                  <Badge size="sm" color="indigo">
                    {t('New')}
                  </Badge>
                )}
              </Group>
              {detail && (
                <Text size="sm" c="dimmed">
                  {detail}
                </Text>
              )}
            </div>
          </Group>
        );
      })}
    </Stack>
  );
}

/** The same on one line, for tables. */
export function ScopeBadges({ scopes }: { scopes: string }) {
  return (
    <Group gap={4}>
      {splitScopes(scopes).map((name) => (
        <Badge key={name} size="sm" color="gray" title={scopeWords[name]?.detail}>
          {scopeWords[name]?.title ?? name}
        </Badge>
      ))}
    </Group>
  );
}
