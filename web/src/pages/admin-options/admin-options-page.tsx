import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { useUrlState } from '../../use-url-state.ts';
import { optionsWith } from './find-options.ts';
import { groupedOptions } from './option-groups.ts';
import { OptionRow, optionsQuery } from './option-row.tsx';

const defaults = { q: '' };

export function AdminOptionsPage() {
  const query = useQuery(optionsQuery);
  const [{ q }, set] = useUrlState(defaults);
  const found = optionsWith(query.data ?? [], q);
  return (
    <>
      <PageHeader
        title={t('Options')}
        description={t('Changes are saved immediately and take effect on all processes at once.')}
      />
      {query.error && !query.data && (
        <ErrorState error={query.error} title={t('The options could not be loaded')} onRetry={() => query.refetch()} />
      )}
      <Stack gap="lg">
        <SearchInput label={t('Option name or keyword')} value={q} onChange={(value) => set({ q: value })} />
        {!query.data && !query.error && [1, 2, 3].map((index) => <Skeleton key={index} height={220} />)}
        {query.data && found.length === 0 && (
          <EmptyState title={t('No options found')} description={t('Try fewer or different words.')} />
        )}
        {groupedOptions(found).map(({ name, title, options }) => (
          <Section key={name} title={title}>
            {options.map((option) => (
              <OptionRow key={option.key} option={option} />
            ))}
          </Section>
        ))}
      </Stack>
    </>
  );
}
