import { Tooltip } from '@mantine/core';
import { formatNumber, formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { AnswerEntry } from './conversation.ts';

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`);

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
      text: provider ? `${model} by ${provider}` : model,
      hint: t('Model and the provider that answered'),
    },
    latencyMs !== undefined && {
      name: 'latency',
      text: seconds(latencyMs),
      hint: t('Time until the answer was complete'),
    },
    firstTokenMs !== undefined &&
      state !== 'waiting' && {
        name: 'first',
        text: t('first token {firstTokenMs}', { firstTokenMs: seconds(firstTokenMs) }),
        hint: t('Time to first token'),
      },
    tokens && {
      name: 'tokens',
      text: t('{number} → {number2} tokens', {
        number: formatNumber(promptTokens ?? 0),
        number2: formatNumber(completionTokens ?? 0),
      }),
      hint: t('Tokens read and tokens written'),
    },
    cost !== undefined && {
      name: 'cost',
      text: cost === 0 ? 'free' : formatQuota(cost),
      hint: t('What this answer cost'),
    },
    finishReason === 'length' && {
      name: 'cut',
      text: t('cut off at the token limit'),
      hint: t('Raise max tokens to get more'),
    },
    state === 'stopped' && { name: 'stopped', text: 'stopped', hint: t('You stopped this answer') },
  ];
  return facts.filter((fact): fact is Fact => fact !== false);
}

/** What an answer took, in one quiet line. */
export function AnswerStats({ answer }: { answer: AnswerEntry }) {
  return factsOf(answer).map(({ name, text, hint }) => (
    <Tooltip key={name} label={hint}>
      <span className="svc-number" data-fact={name}>
        {text}
      </span>
    </Tooltip>
  ));
}
