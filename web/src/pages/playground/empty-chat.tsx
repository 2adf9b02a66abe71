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
  if (models.length > 1)
    return t('Each model gets the same message. Compare what they answer, in which time and at which cost.');
  const [model = ''] = models;
  if (model.startsWith('demo/'))
    return admin
      ? t('This model is a simulation that answers offline. Add a provider key to talk to a real one.')
      : t('This model is a simulation that answers offline. Ask your administrator for a real one.');
  if (model === orchestrationModel)
    return t('The orchestration model plans the work, gives each task to a fitting model, and remembers the session.');
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
        title={t('Go on with {session}', { session })}
        description={t('What was said in this session is remembered; just say what comes next.')}
      />
    );
  }
  return (
    <EmptyState
      icon={IconMessageCircle}
      title={t('Say something')}
      description={descriptionOf(models, admin)}
      action={suggestions.map((text) => (
        <Button key={text} className="svc-suggestion" variant="default" size="sm" onClick={() => onPick(text)}>
          {text}
        </Button>
      ))}
    />
  );
}
