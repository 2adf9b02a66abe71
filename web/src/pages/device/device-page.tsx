import { Button, Code, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, get, post, type Result } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { NotFound } from '../../components/page-states.tsx';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { parseSearch } from '../../search-params.ts';
import { useAct } from '../../use-act.ts';
import { discoveryQuery } from '../applications/application-queries.ts';
import { dropSpendingEntry } from '../authorize/kept-spending.ts';
import { type Answer, Question } from '../authorize/question.tsx';
import { isWhole, shownCode } from './user-code.ts';

type Asked = Result<'/api/oauth2/device', 'get'>;

/** The URL may prefill the code; the user must still compare it with the one on the device. */
function EnterCode({ onFound }: { onFound: (asked: Asked) => void }) {
  const [code, setCode] = useState(() => shownCode(String(parseSearch(window.location.search).user_code ?? '')));
  const find = useAct({
    mutationFn: () => get('/api/oauth2/device', { query: { user_code: code } }),
    onSuccess: onFound,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWhole(code)) return;
    // Whoever must log in again first comes back with the code.
    window.history.replaceState(window.history.state, '', `?user_code=${code}`);
    find.mutate();
  };
  const wrong =
    find.error instanceof ApiError && find.error.status === 404 ? serverText(find.error.message) : undefined;
  return (
    <CenteredLayout title={t('Connect a device')} description={t('Enter the code shown on your device.')}>
      <form onSubmit={submit}>
        <Stack>
          {find.error && !wrong && <ErrorState error={find.error} title={t('The code could not be checked')} />}
          <TextInput
            name="user_code"
            label={t('Code##of a device')}
            description={t('Eight letters')}
            placeholder="XXXX-XXXX"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
            autoFocus
            classNames={{ input: 'svc-user-code' }}
            value={code}
            error={wrong}
            errorProps={{ role: 'alert' }}
            onChange={(event) => setCode(shownCode(event.currentTarget.value))}
          />
          <Button type="submit" fullWidth disabled={!isWhole(code)} loading={find.isPending}>
            {t('Continue')}
          </Button>
        </Stack>
      </form>
    </CenteredLayout>
  );
}

function Answered({ approved, name }: { approved: boolean; name: string }) {
  return (
    <CenteredLayout title={approved ? t('Your device is connected') : t('Your device was not connected')}>
      <Stack>
        <Text size="sm" className="svc-anywhere">
          {approved
            ? t('{name} continues automatically in a few seconds. You can close this page.', { name })
            : t('{name} is notified. You can close this page.', { name })}
        </Text>
        <ButtonLink to="/authorized-apps" variant="default">
          {t('Applications with access')}
        </ButtonLink>
      </Stack>
    </CenteredLayout>
  );
}

function AskedByDevice({ asked }: { asked: Asked }) {
  const { user_code, application } = asked;
  const answer = useAct({
    mutationFn: ({ approved, spending }: Answer) =>
      post('/api/oauth2/device', { body: { user_code, approved, ...spending } }),
    onSuccess: dropSpendingEntry,
  });
  if (answer.data) return <Answered approved={answer.data.approved} name={application.name} />;
  return (
    <CenteredLayout
      title={t('Connect {name}', { name: application.name })}
      description={t('A device requests access to your svc account.')}
    >
      <Stack gap="md">
        <Text size="sm">
          {rich('Allow it only if a device in front of you shows {code}. Nobody should ask you for this code.', {
            code: <Code fz="sm">{user_code}</Code>,
          })}
        </Text>
        <Divider />
        <Question asked={asked} answer={answer} />
      </Stack>
    </CenteredLayout>
  );
}

/** Where users enter the code shown by a device without a browser (RFC 8628 §3.3). */
export function DevicePage() {
  const discovery = useQuery(discoveryQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  if (discovery.data && !discovery.data.device_authorization_endpoint)
    return (
      <main>
        <NotFound />
      </main>
    );
  return asked ? <AskedByDevice asked={asked} /> : <EnterCode onFound={setAsked} />;
}
