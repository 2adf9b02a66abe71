import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { scopeWords } from '../../components/scopes.tsx';
import { t } from '../../language/words.ts';
import { type AskedFor, Question } from '../authorize/question.tsx';
import { type ApplicationFields, bodyOf } from './application-fields.ts';

/** The request of a first-time user with all scopes, which is the most the application can ask for. */
function askedBy(fields: ApplicationFields, verified: boolean): AskedFor {
  const { name, description, homepage_url, logo_url, scopes } = bodyOf(fields);
  return {
    application: {
      ...{ id: 0, client_id: '', name: name || t('Your application'), description, homepage_url, logo_url },
      is_verified: verified,
    },
    requested_scopes: scopes.split(' ').map((scope) => ({ name: scope, description: scopeWords[scope]?.detail ?? '' })),
    ...{ has_existing_consent: false, existing_scopes: null, needs_reconsent: false, spending: null },
  };
}

/** Previews the consent page for the unsaved form. */
export function ConsentPreview({ fields, verified }: { fields: ApplicationFields; verified: boolean }) {
  const [opened, { open, close }] = useDisclosure();
  const answer = { mutate: close, isPending: false, isSuccess: false, variables: undefined, error: null };
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('Preview consent screen')}
      </Button>
      <Dialog opened={opened} onClose={close} title={t('Consent screen preview')}>
        <Question asked={askedBy(fields, verified)} answer={answer} preview>
          <Text size="xs" c="dimmed" ta="center">
            {t('This is a preview; either button closes it.')}
          </Text>
        </Question>
      </Dialog>
    </>
  );
}
