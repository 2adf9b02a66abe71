import { Anchor, Text } from '@mantine/core';
import { ApiError } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { rich, t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { type Asked, decide, destinationOf, leaveTo } from './authorization.ts';
import { dropSpendingEntry } from './kept-spending.ts';
import { type Answer, Question } from './question.tsx';

interface ConsentProps {
  asked: Asked;
  search: string;
  /** Reads again what is required of the user: their login may have become too old while they read. */
  onLoginRequired: () => void;
}

export function Consent({ asked, search, onLoginRequired }: ConsentProps) {
  const answer = useAct({
    mutationFn: (answer: Answer) => decide(search, answer),
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) onLoginRequired();
    },
    onSuccess: (to) => {
      dropSpendingEntry();
      leaveTo(to);
    },
  });
  return (
    <CenteredLayout
      title={t('Authorize {name}', { name: asked.application.name })}
      description={t('This application requests access to your svc account.')}
    >
      <Question asked={asked} answer={answer}>
        <Text size="xs" c="dimmed" ta="center" className="svc-anywhere" aria-live="polite">
          {answer.isSuccess
            ? rich('Redirecting… <a>Continue</a> if nothing happens.', {
                a: (text) => (
                  <Anchor href={answer.data} inherit underline="always">
                    {text}
                  </Anchor>
                ),
              })
            : rich('Either choice redirects you to {destination}', {
                destination: (
                  <Text span inherit fw={600} c="var(--mantine-color-text)">
                    {destinationOf(asked.redirect_uri)}
                  </Text>
                ),
              })}
        </Text>
      </Question>
    </CenteredLayout>
  );
}
