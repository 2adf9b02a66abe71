import { Badge, Blockquote, Box, Card, Group, Spoiler, Text, Title } from '@mantine/core';
import { IconEdit, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { AnchorLink } from '../../components/link.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import type { Entry } from './knowledge-queries.ts';

interface EntryCardProps {
  entry: Entry;
  onEdit: () => void;
  onDelete: () => void;
}

function placeIn({ page, heading = '' }: NonNullable<Entry['source']>): string {
  if (page === undefined) return heading;
  return heading === '' ? t('page {page}', { page }) : t('page {page}, {heading}', { page, heading });
}

function Source({ entry: { source, source_session: session } }: { entry: Entry }) {
  if (source) {
    const place = placeIn(source);
    const values = { name: source.name, strong: (name: ReactNode) => <strong>{name}</strong> };
    return (
      <span className="svc-anywhere">
        {place === ''
          ? rich('From <strong>{name}</strong>', values)
          : rich('From <strong>{name}</strong>, {place}', { ...values, place })}
      </span>
    );
  }
  if (!session) return <>{t('Added manually')}</>;
  return rich('From <session>{id}</session>', {
    id: session,
    session: (id) => (
      <AnchorLink to="/sessions/$id" params={{ id: session }} inherit underline="always" className="svc-anywhere">
        {id}
      </AnchorLink>
    ),
  });
}

export function EntryCard({ entry, onEdit, onDelete }: EntryCardProps) {
  const { title, category, content, keywords, quote, created_at } = entry;
  return (
    <Card component="li" padding="md" className="svc-knowledge-card">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Box miw={0}>
          <Badge size="sm" mb={6} className="svc-written">
            {category}
          </Badge>
          <Title order={2} size="h3" className="svc-anywhere">
            {title}
          </Title>
        </Box>
        <RowMenu
          label={title}
          acts={[
            { label: t('Edit'), icon: IconEdit, onClick: onEdit },
            { label: t('Delete'), icon: IconTrash, danger: true, onClick: onDelete },
          ]}
        />
      </Group>
      <Box my="xs">
        <Spoiler
          maxHeight={122}
          showLabel={<Text size="sm">{t('Show all')}</Text>}
          hideLabel={<Text size="sm">{t('Show less')}</Text>}
          transitionDuration={0}
        >
          <Text size="sm" className="svc-plain">
            {content}
          </Text>
        </Spoiler>
      </Box>
      {quote && (
        <Blockquote p="xs" mb="sm" className="svc-anywhere">
          <Text size="sm">“{quote}”</Text>
        </Blockquote>
      )}
      <Group gap={4} mb="sm">
        {keywords.map((word) => (
          <Badge key={word} size="sm" color="gray" className="svc-written">
            {word}
          </Badge>
        ))}
      </Group>
      <Group gap="xs" justify="space-between" mt="auto">
        <Text size="xs" c="dimmed">
          <Source entry={entry} />
        </Text>
        <Text size="xs" c="dimmed">
          <TimeAgo at={created_at} />
        </Text>
      </Group>
    </Card>
  );
}
