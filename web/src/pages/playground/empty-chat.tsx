import { Button } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { t } from '../../language/words.ts';
import { orchestrationModel } from '../../models.ts';
import { isAdmin, useUser } from '../../session.ts';

const suggestions = [
  t('Explain what an API gateway does, in three sentences.'),
  t('Write a haiku about the sea, then explain its structure.'),
  t('Show a TypeScript function that debounces another, with comments.'),
];

function descriptionOf(models: string[], admin: boolean): string {
  if (models.length > 1) return t('Each model gets the same message. Compare their answers, response times and costs.');
  const [model = ''] = models;
  if (model.startsWith('demo/'))
    return admin
      ? t('This model is a simulation that answers offline. Add a provider key to use real models.')
      : t('This model is a simulation that answers offline. Ask your administrator for a real model.');
  if (model === orchestrationModel)
    return t(
      'The orchestration model plans the work, assigns each task to a suitable model and remembers the session.',
    );
  return t('Each answer shows its time, tokens, cost and provider.');
}

interface NothingSaidProps {
  models: string[];
  /** Id of the session that the first message continues. */
  session: string;
  onPick: (text: string) => void;
}

export function EmptyChat({ models, session, onPick }: NothingSaidProps) {
  const admin = isAdmin(useUser());
  if (models.includes(orchestrationModel) && session !== '') {
    return (
      <EmptyState
        icon={IconMessageCircle}
        title={t('Continue {session}', { session })}
        description={t('Earlier messages in this session are remembered. Send a message to continue.')}
      />
    );
  }
  return (
    <EmptyState
      icon={IconMessageCircle}
      title={t('Start a conversation')}
      description={descriptionOf(models, admin)}
      action={suggestions.map((text) => (
        <Button key={text} className="svc-suggestion" variant="default" size="sm" onClick={() => onPick(text)}>
          {text}
        </Button>
      ))}
    />
  );
}
