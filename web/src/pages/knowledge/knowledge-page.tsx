import { Button, Card, Code, Group, Select, Skeleton, Text } from '@mantine/core';
import { IconBook, IconFileImport, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { del } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { upTo } from '../../filter-values.ts';
import { rich, t } from '../../language/words.ts';
import { useUrlState } from '../../use-url-state.ts';
import { EntryCard } from './entry-card.tsx';
import { EntryForm } from './entry-form.tsx';
import { ImportFiles } from './import-files.tsx';
import {
  categoriesOf,
  type Entry,
  knowledgeQuery,
  mostEntries,
  newestQuery,
  reloadKnowledge,
} from './knowledge-queries.ts';
import { SourcesTable } from './sources-table.tsx';

const urlDefaults = { q: '', category: '' };
const urlFits = { category: upTo(64) };
const firstEntries = 24;

type Open = { act: 'create' } | { act: 'import'; files: File[] } | { act: 'edit' | 'delete'; entry: Entry };

function Nothing({ searching, onClear, add }: { searching: boolean; onClear: () => void; add: ReactNode }) {
  if (searching) {
    return (
      <EmptyState
        icon={IconSearchOff}
        title={t('No matches')}
        description={t('Try other words. Search matches both words and meaning.')}
        action={
          <Button variant="default" onClick={onClear}>
            {t('Show everything')}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      icon={IconBook}
      title={t('No knowledge yet')}
      description={rich(
        'Add what models should know about you or your work, or drop text, Markdown and PDF files here. Facts can also be extracted from your conversations: send <code>svc_ms.extract_knowledge</code>, or turn on extraction in the <preferences>preferences</preferences>. Only what you actually said is kept, with the session it comes from.',
        {
          code: (text) => <Code>{text}</Code>,
          preferences: (text) => (
            <AnchorLink to="/orchestration/preferences" inherit underline="always">
              {text}
            </AnchorLink>
          ),
        },
      )}
      action={add}
    />
  );
}

function Entries({ entries, onOpen }: { entries: Entry[]; onOpen: (open: Open) => void }) {
  return (
    <ul className="svc-knowledge" aria-label={t('Knowledge entries')}>
      {entries.map((entry) => (
        <EntryCard
          key={entry.id}
          entry={entry}
          onEdit={() => onOpen({ act: 'edit', entry })}
          onDelete={() => onOpen({ act: 'delete', entry })}
        />
      ))}
    </ul>
  );
}

function Loading() {
  return (
    <div className="svc-knowledge" aria-busy="true">
      {[1, 2, 3, 4].map((key) => (
        <Skeleton key={key} height={180} />
      ))}
    </div>
  );
}

function Filters({
  q,
  category,
  set,
}: {
  q: string;
  category: string;
  set: (changes: Partial<typeof urlDefaults>) => void;
}) {
  const newest = useQuery(newestQuery);
  const categories = categoriesOf(newest.data);
  return (
    <Group mb="md" gap="sm" role="search" aria-label={t('Search knowledge')}>
      <SearchInput
        label={t('Search knowledge')}
        placeholder={t('Search by words or meaning')}
        value={q}
        onChange={(text) => set({ q: text })}
        width={320}
      />
      <Select
        aria-label={t('Category')}
        placeholder={t('All categories')}
        data={category && !categories.includes(category) ? [category, ...categories] : categories}
        value={category || null}
        onChange={(chosen) => set({ category: chosen ?? '' })}
        clearable
        clearButtonProps={{ 'aria-label': t('All categories') }}
        w={{ base: '100%', xs: 200 }}
      />
    </Group>
  );
}

export function KnowledgePage() {
  const [{ q, category }, setUrl] = useUrlState(urlDefaults, urlFits);
  const [limit, setLimit] = useState(firstEntries);
  const [open, setOpen] = useState<Open | null>(null);
  const query = useQuery(knowledgeQuery(q, category, limit));
  const entries = query.data;
  const close = () => setOpen(null);
  const add = (
    <Group gap="sm" justify="center">
      <Button
        variant="default"
        leftSection={<IconFileImport size={16} aria-hidden />}
        onClick={() => setOpen({ act: 'import', files: [] })}
      >
        {t('Import files')}
      </Button>
      <AddButton onClick={() => setOpen({ act: 'create' })}>{t('Add knowledge')}</AddButton>
    </Group>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the whole page is a drop target; there is a button too
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const files = [...event.dataTransfer.files];
        if (files.length > 0 && open === null) setOpen({ act: 'import', files });
      }}
    >
      <PageHeader
        title={t('Knowledge')}
        description={t('What the orchestration model can recall in every session. Private to you.')}
        actions={add}
      />
      <SourcesTable />
      <Filters q={q} category={category} set={setUrl} />
      {query.error && !entries && (
        <ErrorState error={query.error} title={t('Knowledge could not be loaded')} onRetry={() => query.refetch()} />
      )}
      {!entries && !query.error && <Loading />}
      {entries?.length === 0 && (
        <Card padding={0}>
          <Nothing searching={q !== '' || category !== ''} onClear={() => setUrl(urlDefaults)} add={add} />
        </Card>
      )}
      <div className={query.isPlaceholderData ? 'svc-stale' : undefined}>
        {entries && entries.length > 0 && <Entries entries={entries} onOpen={setOpen} />}
      </div>
      <Text className="svc-hidden" role="status">
        {entries &&
          !query.isFetching &&
          t('{count, plural, one {# entry shown} other {# entries shown}}', { count: entries.length })}
      </Text>
      {entries && entries.length >= limit && limit < mostEntries && (
        <Group justify="center" mt="lg">
          <Button variant="default" loading={query.isFetching} onClick={() => setLimit(mostEntries)}>
            {t('Show more')}
          </Button>
        </Group>
      )}
      {entries && entries.length >= mostEntries && (
        <Text size="sm" c="dimmed" ta="center" mt="lg">
          {t('Showing the first {count}. Search to find the others.', { count: mostEntries })}
        </Text>
      )}
      {open?.act === 'import' && <ImportFiles dropped={open.files} onClose={close} />}
      {open?.act === 'create' && <EntryForm entry={null} onClose={close} />}
      {open?.act === 'edit' && <EntryForm entry={open.entry} onClose={close} />}
      <ConfirmDelete
        opened={open?.act === 'delete'}
        onClose={close}
        title={t('Delete this entry?')}
        confirmLabel={t('Delete entry')}
        onConfirm={async () => {
          if (open?.act === 'delete') await del('/api/svc-ms/knowledge/{id}', { path: { id: open.entry.id } });
          notifySuccess(t('Entry deleted'));
          await reloadKnowledge();
        }}
      >
        {rich('Models will no longer recall <strong>{title}</strong>. This cannot be undone.', {
          title: open?.act === 'delete' ? open.entry.title : '',
          strong: (title) => <strong>{title}</strong>,
        })}
      </ConfirmDelete>
    </div>
  );
}
