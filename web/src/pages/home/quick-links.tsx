import { Card, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconBook2, type TablerIcon } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '../../language/words.ts';
import { navigationFor } from '../../navigation.ts';
import { useUser } from '../../session.ts';

interface QuickLinkTextProps {
  icon: TablerIcon;
  label: string;
  hint: string;
}

function QuickLinkText({ icon: Icon, label, hint }: QuickLinkTextProps) {
  return (
    <>
      <ThemeIcon variant="light" size={38}>
        <Icon size={20} stroke={1.7} aria-hidden />
      </ThemeIcon>
      <Stack gap={0} miw={0}>
        <Text fw={600} size="sm">
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      </Stack>
    </>
  );
}

const cardStyle = { padding: 'md', className: 'svc-quick', styles: { root: { flexDirection: 'row' } } } as const;

/** Links to the pages that have a description in navigation.ts. */
export function QuickLinks() {
  const links = navigationFor(useUser())
    .flatMap(({ entries }) => entries)
    .flatMap(({ hint, ...entry }) => (hint ? [{ ...entry, hint }] : []));
  return (
    <section>
      <Title order={2} mb="sm">
        {t('Shortcuts')}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {links.map(({ path, ...text }) => (
          <Card key={path} component={Link} to={path} {...cardStyle}>
            <QuickLinkText {...text} />
          </Card>
        ))}
        <Card component={Link} to="/docs" {...cardStyle}>
          <QuickLinkText icon={IconBook2} label={t('API reference')} hint={t('Every endpoint, with its fields')} />
        </Card>
      </SimpleGrid>
    </section>
  );
}
