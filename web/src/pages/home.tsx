import { Card, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { CopyField } from '../components/copy-field.tsx';
import { Money } from '../components/money.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { StatCard } from '../components/stat-card.tsx';
import { formatCompact } from '../format.ts';
import { navigationFor } from '../navigation.ts';
import { useUser } from '../session.ts';

interface QuickLinkTextProps {
  icon: typeof IconBook2;
  label: string;
  hint: string;
}

function QuickLinkText({ icon: Icon, label, hint }: QuickLinkTextProps) {
  return (
    <>
      <ThemeIcon variant="light" size={38}>
        <Icon size={20} stroke={1.7} aria-hidden />
      </ThemeIcon>
      <Stack gap={0}>
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

export function HomePage() {
  const user = useUser();
  const links = navigationFor(user)
    .flatMap(({ entries }) => entries)
    .flatMap(({ hint, ...entry }) => (hint ? [{ ...entry, hint }] : []));
  return (
    <>
      <PageHeader title={`Welcome, ${user.display_name || user.username}`} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} mb="xl">
        <StatCard label="Balance" value={<Money quota={user.quota} />} />
        <StatCard label="Spent" value={<Money quota={user.used_quota} />} />
        <StatCard label="Requests" value={formatCompact(user.request_count)} />
      </SimpleGrid>
      <Title order={2} mb="sm">
        Connect
      </Title>
      <Card mb="xl">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <CopyField
            label="OpenAI base URL"
            description="For OpenAI SDKs and tools"
            value={`${window.location.origin}/v1`}
          />
          <CopyField label="Anthropic base URL" description="For Anthropic SDKs" value={window.location.origin} />
        </SimpleGrid>
      </Card>
      <Title order={2} mb="sm">
        Where to go
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {links.map(({ path, ...text }) => (
          <Card
            key={path}
            component={Link}
            to={path}
            className="svc-quick"
            padding="md"
            styles={{ root: { flexDirection: 'row' } }}
          >
            <QuickLinkText {...text} />
          </Card>
        ))}
        <Card component="a" href="/docs" className="svc-quick" padding="md" styles={{ root: { flexDirection: 'row' } }}>
          <QuickLinkText icon={IconBook2} label="API reference" hint="Every endpoint, with its fields" />
        </Card>
      </SimpleGrid>
    </>
  );
}
