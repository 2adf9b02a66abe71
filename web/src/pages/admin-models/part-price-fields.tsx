import { Accordion, Button, Fieldset, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { t } from '../../language/words.ts';
import type { ModelFaults, ModelFields } from './model-fields.ts';
import { hasParts, type PartFields, parts, type TierFields, tierFields } from './part-prices.ts';

interface RatesProps {
  fields: PartFields;
  set: (changes: Partial<PartFields>) => void;
}

const price = { prefix: '$', min: 0, decimalScale: 6 } as const;
const columns = { base: 1, xs: 2, sm: 3 };

function PartRates({ fields, set }: RatesProps) {
  return (
    <SimpleGrid cols={columns} className="svc-fields">
      {parts.map(({ name, label, as }) => (
        <NumberInput
          key={name}
          label={label}
          placeholder={as === 'prompt' ? t('same as prompt') : t('same as completion')}
          {...price}
          value={fields[name]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
    </SimpleGrid>
  );
}

function TierCard({ tier, set, remove }: { tier: TierFields; set: (next: TierFields) => void; remove: () => void }) {
  const change = (changes: Partial<TierFields>) => set({ ...tier, ...changes });
  return (
    <Fieldset legend={t('Long prompts')}>
      <Stack>
        <SimpleGrid cols={columns} className="svc-fields">
          <NumberInput
            label={t('Prompts above')}
            min={1}
            allowDecimal={false}
            value={tier.above_context}
            onChange={(above_context) => change({ above_context })}
          />
          <NumberInput label={t('Prompt')} {...price} value={tier.prompt} onChange={(prompt) => change({ prompt })} />
          <NumberInput
            label={t('Completion')}
            {...price}
            value={tier.completion}
            onChange={(completion) => change({ completion })}
          />
        </SimpleGrid>
        <PartRates fields={tier} set={change} />
        <Group>
          <Button
            variant="subtle"
            color="red"
            size="xs"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={remove}
          >
            {t('Remove')}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface PartPriceFieldsProps {
  fields: ModelFields;
  faults: ModelFaults;
  set: (changes: Partial<ModelFields>) => void;
}

/** Collapsed if no part has its own price, as for most models. */
export function PartPriceFields({ fields, faults, set }: PartPriceFieldsProps) {
  const { parts: rates, tiers } = fields;
  const change = (changes: Partial<PartFields>) => set({ parts: { ...rates, ...changes } });
  const next = Math.max(0, ...tiers.map(({ key }) => key)) + 1;
  return (
    <Accordion variant="contained" defaultValue={hasParts(rates, tiers) ? 'parts' : null}>
      <Accordion.Item value="parts">
        <Accordion.Control>{t('Caching, reasoning, audio, search and long prompts')}</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <Text size="sm" c="dimmed">
              {t('In dollars per million tokens, if the provider prices them separately.')}
            </Text>
            <PartRates fields={rates} set={change} />
            <SimpleGrid cols={columns} className="svc-fields">
              <NumberInput
                label={t('Each web search')}
                placeholder={t('no searches')}
                {...price}
                value={rates.search}
                onChange={(search) => change({ search })}
              />
            </SimpleGrid>
            {tiers.map((tier) => (
              <TierCard
                key={tier.key}
                tier={tier}
                set={(changed) => set({ tiers: tiers.map((one) => (one.key === tier.key ? changed : one)) })}
                remove={() => set({ tiers: tiers.filter((one) => one.key !== tier.key) })}
              />
            ))}
            {faults.tiers && (
              <Text size="sm" c="red" role="alert">
                {faults.tiers}
              </Text>
            )}
            <Group>
              <Button
                variant="default"
                size="xs"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => set({ tiers: [...tiers, tierFields({}, next)] })}
              >
                {t('Add long prompt prices')}
              </Button>
            </Group>
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
