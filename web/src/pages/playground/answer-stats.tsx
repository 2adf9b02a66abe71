import { Tooltip } from '@mantine/core';
import { formatMs, formatNumber, formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { AnswerEntry } from './conversation.ts';

interface Fact {
  name: string;
  text: string;
  hint: string;
}

function factsOf({ model, stats, finishReason, state }: AnswerEntry): Fact[] {
  const { latencyMs, firstTokenMs, promptTokens, completionTokens, cost, provider } = stats;
  const tokens = promptTokens !== undefined || completionTokens !== undefined;
  const facts: (Fact | false)[] = [
    {
      name: 'model',
      text: provider ? t('{model} by {provider}', { model, provider }) : model,
      hint: t('Model and provider that answered'),
    },
    latencyMs !== undefined && {
      name: 'latency',
      text: formatMs(latencyMs),
      hint: t('Time until the answer was complete'),
    },
    firstTokenMs !== undefined &&
      state !== 'waiting' && {
        name: 'first',
        text: t('first token {duration}', { duration: formatMs(firstTokenMs) }),
        hint: t('Time to first token'),
      },
    tokens && {
      name: 'tokens',
      text: t('{read} → {written, plural, one {# token} other {# tokens}}', {
        read: formatNumber(promptTokens ?? 0),
        written: completionTokens ?? 0,
      }),
      hint: t('Input and output tokens'),
    },
    cost !== undefined && {
      name: 'cost',
      text: cost === 0 ? t('free') : formatQuota(cost),
      hint: t('Cost of this answer'),
    },
    finishReason === 'length' && {
      name: 'cut',
      text: t('cut off at the token limit'),
      hint: t('Raise max tokens to get more'),
    },
    state === 'stopped' && { name: 'stopped', text: t('stopped'), hint: t('You stopped this answer') },
  ];
  return facts.filter((fact): fact is Fact => fact !== false);
}

/** Time, tokens and cost of an answer, in one muted line. */
export function AnswerStats({ answer }: { answer: AnswerEntry }) {
  return factsOf(answer).map(({ name, text, hint }) => (
    <Tooltip key={name} label={hint}>
      <span className="svc-number" data-fact={name}>
        {text}
      </span>
    </Tooltip>
  ));
}
