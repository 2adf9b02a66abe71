import { useQuery } from '@tanstack/react-query';
import { Fact } from '../../components/fact.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { formatExact, formatMs } from '../../format.ts';
import { t } from '../../language/words.ts';
import { parentKindOf } from '../../requests.ts';
import { keysQuery, useUser } from '../../session.ts';
import { Outcome } from './request-columns.tsx';
import type { RequestDetail } from './requests-query.ts';

/** Links to the run's own page. */
function RunLink({ session }: { session: string }) {
  return (
    <AnchorLink to="/runs/$id" params={{ id: session }} inherit underline="always">
      {t('View run')}
    </AnchorLink>
  );
}

function KeyName({ tokenId, application }: { tokenId: number | null; application?: string | null }) {
  const keys = useQuery(keysQuery);
  if (application) return application;
  if (tokenId === null) return t('Web app');
  return keys.data?.find(({ id }) => id === tokenId)?.name ?? t('Key {id}', { id: tokenId });
}

type Log = RequestDetail['logs'][number];

interface FactsOfEntryProps {
  entry: Pick<Log, 'model' | 'endpoint' | 'token_id' | 'duration_ms'>;
  /** The usage log entry; undefined if the request failed. */
  log: Log | undefined;
}

function FactsOfEntry({ entry, log }: FactsOfEntryProps) {
  return (
    <>
      <Fact name={t('Model or tool')}>{entry.model || t('None')}</Fact>
      <Fact name={t('Endpoint')}>{entry.endpoint}</Fact>
      {log?.provider && <Fact name={t('Provider')}>{log.provider}</Fact>}
      <Fact name={t('Key')}>
        <KeyName tokenId={entry.token_id} application={log?.application} />
      </Fact>
      <Fact name={t('Duration')}>{formatMs(entry.duration_ms)}</Fact>
      {typeof log?.first_token_ms === 'number' && <Fact name={t('First token')}>{formatMs(log.first_token_ms)}</Fact>}
      {log && <Fact name={t('Streamed')}>{log.stream ? t('Yes') : t('No')}</Fact>}
    </>
  );
}

/** Wide enough to keep endpoint paths and dates on one line. */
const wideFacts = { gridTemplateColumns: 'repeat(auto-fill, minmax(9.5rem, 1fr))' };

/** The request, its time and user, and the turn or run that it was part of. */
export function About({ detail }: { detail: RequestDetail }) {
  const { failure, logs, account_name, user_id, parent_request_id, run_session_id } = detail;
  // A run's page is visible only to its owner.
  const mine = useUser().id === user_id;
  const entry = logs[0] ?? failure;
  return (
    <Section title={t('About')}>
      <dl className="svc-facts" style={wideFacts}>
        {entry && (
          <Fact name={t('Status')}>
            <Outcome
              line={logs[0] ? { status: logs[0].status as 'ok', error: null } : { status: 'failed', error: failure }}
            />
          </Fact>
        )}
        <Fact name={t('Ended')}>{formatExact(detail.created_at)}</Fact>
        {account_name !== undefined && (
          <Fact name={t('User')}>
            <AnchorLink to="/requests" search={{ user: String(user_id) }} inherit underline="always">
              {account_name ?? t('User {id}', { id: user_id })}
            </AnchorLink>
          </Fact>
        )}
        {parent_request_id && (
          <Fact name={t('Part of')}>
            <AnchorLink to="/requests/$id" params={{ id: parent_request_id }} inherit underline="always">
              {t('A {maker}', { maker: parentKindOf(parent_request_id) })}
            </AnchorLink>
          </Fact>
        )}
        {run_session_id && mine && (
          <Fact name={t('Run')}>
            <RunLink session={run_session_id} />
          </Fact>
        )}
        {entry && <FactsOfEntry entry={entry} log={logs[0]} />}
      </dl>
    </Section>
  );
}
