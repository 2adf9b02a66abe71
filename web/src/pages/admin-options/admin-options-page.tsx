import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { groupedOptions } from './option-groups.ts';
import { OptionRow, optionsQuery } from './option-row.tsx';

export function AdminOptionsPage() {
  const query = useQuery(optionsQuery);
  return (
    <>
      <PageHeader
        title={t('Options')}
        description={t('Each change is saved when you make it, and counts at once on every process.')}
      />
      {query.error && !query.data && (
        <ErrorState error={query.error} title={t('The options could not be loaded')} onRetry={() => query.refetch()} />
      )}
      <Stack gap="lg">
        {!query.data && !query.error && [1, 2, 3].map((index) => <Skeleton key={index} height={220} />)}
        {groupedOptions(query.data ?? []).map(({ name, title, options }) => (
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
