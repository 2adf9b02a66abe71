import { Badge, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { typeName } from '../../catalog.ts';
import { BackLink } from '../../components/back-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { LoadingPage } from '../../components/loading-page.tsx';
import { CapabilityBadges, ModelHealth } from '../../components/model-marks.tsx';
import { modelSnippets } from '../../components/model-snippets.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { t } from '../../language/words.ts';
import { measuredProviders, tokenWords } from '../../model-facts.ts';
import { type ModelDetail, modelQuery, modelsQuery } from '../../models.ts';
import { TryLink } from './model-columns.tsx';
import { Offers } from './offers.tsx';
import { PriceTable } from './price-table.tsx';

/** Placeholder key in the examples: a real one could be read over the user's shoulder. */
const placeholder = 'sk-your-key';

function Where({ model }: { model?: ModelDetail }) {
  return (
    <Group component="span" gap="xs" mt={4}>
      <BackLink to="/models">{t('All models')}</BackLink>
      {model && (
        <>
          <Code className="svc-anywhere">{model.id}</Code>
          <CopyButton value={model.id} label={t('Copy model id')} />
          {model.types.map((type) => (
            <Badge key={type} color="gray">
              {typeName(type)}
            </Badge>
          ))}
        </>
      )}
    </Group>
  );
}

/** The exact number next to the short form, because limits are not checked against a rounded "1.05M". */
const tokenHint = (count: number | null): string | undefined =>
  count === null ? t('Unknown') : t('{count, plural, one {# token} other {# tokens}}', { count });

function Facts({ model }: { model: ModelDetail }) {
  const known = measuredProviders(useQuery(modelsQuery).data ?? []);
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <StatCard label={t('Context')} value={tokenWords(model.context_length)} hint={tokenHint(model.context_length)} />
      <StatCard
        label={t('Maximum output')}
        value={tokenWords(model.max_output_tokens)}
        hint={tokenHint(model.max_output_tokens)}
      />
      <StatCard
        label={t('Health')}
        value={<ModelHealth model={model} known={known} />}
        hint={t('Over the last hour')}
      />
      <StatCard
        label={t('Providers')}
        value={model.providers.length || '–'}
        hint={model.providers.join(', ') || undefined}
      />
    </SimpleGrid>
  );
}

function Members({ model }: { model: ModelDetail }) {
  if (model.members.length === 0) return null;
  return (
    <Section title={t('Points to')} description={t('Tried in this order until one answers.')}>
      <Stack component="ol" gap={4} m={0} pl="lg">
        {model.members.map((id) => (
          <li key={id}>
            <AnchorLink to="/models/$" params={{ _splat: id }} size="sm" className="svc-anywhere">
              {id}
            </AnchorLink>
          </li>
        ))}
      </Stack>
    </Section>
  );
}

function Abilities({ model }: { model: ModelDetail }) {
  return (
    <Section title={t('Supported parameters')}>
      <Stack gap="sm">
        {model.capabilities.length > 0 && <CapabilityBadges of={model.capabilities} />}
        {model.supported_parameters.length > 0 ? (
          <Group gap={6}>
            {model.supported_parameters.map((name) => (
              <Code key={name}>{name}</Code>
            ))}
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            {t('No parameters besides its input.')}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

export function ModelPage() {
  const { _splat: id = '' } = useParams({ strict: false }) as { _splat?: string };
  const query = useQuery(modelQuery(id));
  const model = query.data;
  if (!model)
    return (
      <LoadingPage
        title={t('Model')}
        description={<Where />}
        query={query}
        failure={t('The model could not be shown')}
        heights={[96, 320]}
      />
    );
  return (
    <>
      <PageHeader title={model.name} description={<Where model={model} />} actions={<TryLink model={model} />} />
      <Stack gap="lg">
        <Facts model={model} />
        <Members model={model} />
        <Section title={t('Price')} description={t('In dollars per million tokens, from the cheapest provider.')}>
          <PriceTable model={model} />
        </Section>
        <Section title={t('Call it from your code')}>
          <CodeBlock snippets={modelSnippets({ baseUrl: window.location.origin, apiKey: placeholder }, model)} />
        </Section>
        <Offers model={model} />
        <Abilities model={model} />
      </Stack>
    </>
  );
}
