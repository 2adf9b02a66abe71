import { Button } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { orchestrationModel } from '../../models.ts';
import { isAdmin, useUser } from '../../session.ts';

const suggestions = [
  'Explain what an API gateway does, in three sentences.',
  'Write a haiku about the sea, then explain its structure.',
  'Show a TypeScript function that debounces another, with comments.',
];

/** Only an administrator can add a provider. */
const realOnes = (admin: boolean): string =>
  admin ? 'Add a provider key to talk to a real one.' : 'Ask your administrator for a real one.';

function descriptionOf(models: string[], admin: boolean): string {
  if (models.length > 1)
    return 'Each model gets the same message. Compare what they answer, in which time and at which cost.';
  const [model = ''] = models;
  if (model.startsWith('demo/')) return `This model is a simulation that answers offline. ${realOnes(admin)}`;
  if (model === orchestrationModel)
    return 'The orchestration model plans the work, gives each task to a fitting model, and remembers the session.';
  return 'Each answer shows its time, tokens, cost and provider.';
}

interface NothingSaidProps {
  models: string[];
  /** The session that the first message continues. */
  session: string;
  onPick: (text: string) => void;
}

export function NothingSaid({ models, session, onPick }: NothingSaidProps) {
  const admin = isAdmin(useUser());
  if (models.includes(orchestrationModel) && session !== '') {
    return (
      <EmptyState
        icon={IconMessageCircle}
        title={`Go on with ${session}`}
        description="What was said in this session is remembered; just say what comes next."
      />
    );
  }
  return (
    <EmptyState
      icon={IconMessageCircle}
      title="Say something"
      description={descriptionOf(models, admin)}
      action={suggestions.map((text) => (
        <Button key={text} className="svc-suggestion" variant="default" size="sm" onClick={() => onPick(text)}>
          {text}
        </Button>
      ))}
    />
  );
}
