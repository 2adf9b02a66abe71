import { Anchor, Text } from '@mantine/core';
import { BareFrame } from '../../components/bare-frame.tsx';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { type Asked, decide, destinationOf, leaveTo } from './authorization.ts';
import { type Answer, Question } from './question.tsx';

export function Consent({ asked, search }: { asked: Asked; search: string }) {
  const answer = useAct({
    mutationFn: (answer: Answer) => decide(search, answer),
    onSuccess: leaveTo,
  });
  return (
    <BareFrame
      title={t('Authorize {name}', { name: asked.application.name })}
      description={t('It asks for access to your svc account.')}
    >
      <Question asked={asked} answer={answer}>
        <Text size="xs" c="dimmed" ta="center" className="svc-anywhere" aria-live="polite">
          {answer.isSuccess ? (
            <>
              Taking you there…{' '}
              <Anchor href={answer.data} inherit underline="always">
                {t('Continue')}
              </Anchor>{' '}
              if nothing happens.
            </>
          ) : (
            <>
              Either answer leads you to{' '}
              <Text span inherit fw={600} c="var(--mantine-color-text)">
                {destinationOf(asked.redirect_uri)}
              </Text>
            </>
          )}
        </Text>
      </Question>
    </BareFrame>
  );
}
