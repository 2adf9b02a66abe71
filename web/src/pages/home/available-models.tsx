import { Alert, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { builtIn, modelsQuery, onlySimulation, providersOf } from '../../models.ts';
import { isAdmin, useUser } from '../../session.ts';

function Simulation() {
  const admin = isAdmin(useUser());
  return (
    <Alert
      color="indigo"
      variant="light"
      icon={<IconInfoCircle aria-hidden />}
      title={t('The built-in simulation is answering')}
    >
      {admin
        ? t(
            'It is not a language model: it runs offline and for free, so you can try every endpoint, streaming and tools right away. Add a provider key below to use real models.',
          )
        : t(
            'It is not a language model: it runs offline and for free, so you can try every endpoint, streaming and tools right away. Ask your administrator to add a provider.',
          )}
    </Alert>
  );
}

function Nothing() {
  const admin = isAdmin(useUser());
  return (
    <Text size="sm">
      {admin
        ? t('No provider is set up yet, so no model can be called. Add one with its key below.')
        : t('No provider is set up yet, so no model can be called. Ask your administrator to add one.')}
    </Text>
  );
}

type Provider = ReturnType<typeof providersOf>[number];

const colorOf = ({ name, models, down }: Provider): string => {
  if (down > 0) return down === models ? 'red' : 'orange';
  return name === builtIn ? 'gray' : 'teal';
};

const wordsOf = ({ name, models: count, down }: Provider): string => {
  const provider = name === builtIn ? t('Built-in simulation') : name;
  if (down === 0) return t('{provider} · {count, plural, one {# model} other {# models}}', { provider, count });
  return down === count
    ? t('{provider} · circuit open', { provider })
    : t('{provider} · {works} of {count, plural, one {# model} other {# models}}', {
        provider,
        works: formatNumber(count - down),
        count,
      });
};

/** The providers and models that can be called right now. */
export function AvailableModels() {
  const query = useQuery(modelsQuery);
  const providers = providersOf(query.data ?? []);
  return (
    <Section
      title={t('Available now')}
      actions={
        <ButtonLink to="/playground" variant="light">
          {t('Open the playground')}
        </ButtonLink>
      }
    >
      {query.isPending && <Skeleton height={64} />}
      {query.error && !query.data && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && (
        <Stack gap="sm">
          {onlySimulation(providers) && <Simulation />}
          {providers.length === 0 && <Nothing />}
          <Group gap="xs">
            {providers.map((provider) => (
              <Badge key={provider.name} size="lg" color={colorOf(provider)}>
                {wordsOf(provider)}
              </Badge>
            ))}
          </Group>
        </Stack>
      )}
    </Section>
  );
}
