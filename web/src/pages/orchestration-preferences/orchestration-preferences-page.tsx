import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { Patterns } from './patterns.tsx';
import { groups } from './preference-fields.ts';
import { PreferenceRow, preferencesQuery } from './preference-row.tsx';

function Fields() {
  const query = useQuery(preferencesQuery);
  const { data } = query;
  if (query.error && !data) {
    return (
      <ErrorState error={query.error} title={t('Preferences could not be loaded')} onRetry={() => query.refetch()} />
    );
  }
  return groups.map(({ key, title, description, fields }) => (
    <Section key={key} title={title} description={description}>
      {fields.map((field) =>
        data ? (
          <PreferenceRow key={field.name} field={field} value={data[field.name]} />
        ) : (
          <Skeleton key={field.name} height={42} my="sm" aria-busy="true" />
        ),
      )}
    </Section>
  ));
}

export function OrchestrationPreferencesPage() {
  return (
    <>
      <PageHeader
        title={t('Orchestration preferences')}
        description={t(
          'How svc/svc-ms works for you. Changes are saved immediately and apply from the next request. Values set in a request take precedence.',
        )}
      />
      <Stack gap="lg">
        <Fields />
        <section>
          <Title order={2} mb={2}>
            {t('Learned patterns')}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {t('How models have performed on your types of tasks. Used to choose models after five tasks of a type.')}
          </Text>
          <Patterns />
        </section>
      </Stack>
    </>
  );
}
