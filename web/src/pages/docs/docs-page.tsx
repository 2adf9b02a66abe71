import { Anchor, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { errorOf } from '../../api.ts';
import { Brand } from '../../components/brand.tsx';
import { ColorSchemeMenu } from '../../components/color-scheme-menu.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LanguageMenu } from '../../components/language-menu.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SkipLink } from '../../components/skip-link.tsx';
import { bringReferenceWords, told } from '../../language/reference.ts';
import { rich, t } from '../../language/words.ts';
import { useUrlState } from '../../use-url-state.ts';
import { EndpointView } from './endpoint-view.tsx';
import { byTag, type Document, type Endpoint, endpointsOf, groupName, search } from './openapi.ts';
import { QuickStart, quickStartId } from './quick-start.tsx';

const urlDefaults = { q: '' };
const noSchemas = {};

const documentQuery = {
  queryKey: ['openapi'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Document> => {
    const [response] = await Promise.all([fetch('/openapi.json', { signal }), bringReferenceWords()]);
    if (!response.ok) throw await errorOf(response);
    return response.json();
  },
  staleTime: Number.POSITIVE_INFINITY,
};

function Contents({ groups }: { groups: [string, Endpoint[]][] }) {
  return (
    <nav className="svc-docs-nav" aria-label={t('Endpoints')}>
      <ul>
        <li>
          <Link to="." hash={quickStartId} activeOptions={{ includeHash: true }}>
            {t('Quick start')}
          </Link>
        </li>
      </ul>
      {groups.map(([tag, endpoints]) => (
        <div key={tag}>
          <Text size="xs" fw={600} c="dimmed" px={8} mb={2}>
            {groupName(tag)}
          </Text>
          <ul aria-label={groupName(tag)}>
            {endpoints.map((endpoint) => (
              <li key={endpoint.id} lang={told(endpoint.summary).lang}>
                <Link
                  to="."
                  hash={endpoint.id}
                  search={(before: object) => before}
                  activeOptions={{ includeHash: true }}
                >
                  {told(endpoint.summary).text || endpoint.path}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Introduction({ document }: { document: Document }) {
  return (
    <Stack gap="xs" mb="lg">
      <Title order={1}>{t('API reference')}</Title>
      <Text size="sm" c="dimmed" maw="46rem">
        {rich(
          '{description} Send an API key as <code>Authorization: Bearer sk-…</code>; every response has an <code>x-request-id</code>. Machine-readable version: <link>/openapi.json</link>',
          {
            description: told(document.info.description ?? '').text,
            code: (text) => <Code>{text}</Code>,
            link: (text) => (
              <Anchor href="/openapi.json" size="sm" underline="always">
                {text}
              </Anchor>
            ),
          },
        )}
      </Text>
    </Stack>
  );
}

/** Which endpoints are expanded. The one in the URL's fragment is expanded and scrolled into view. */
function useOpened(ready: boolean) {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const byHand = useRef('');
  useEffect(() => {
    if (!ready || hash === '') return;
    setOpened((before) => new Set(before).add(hash));
    // An endpoint that the reader expanded is already in view; scrolling would lose their place.
    if (byHand.current === hash) return;
    requestAnimationFrame(() => document.getElementById(hash)?.scrollIntoView({ block: 'start' }));
  }, [hash, ready]);
  const toggle = useCallback(
    (id: string) => {
      const opening = !opened.has(id);
      byHand.current = id;
      setOpened((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      });
      const named = opening ? id : hash === id ? '' : hash;
      navigate({ to: '.', hash: named, search: (before: object) => before, replace: true, resetScroll: false });
    },
    [opened, hash, navigate],
  );
  return { opened, toggle };
}

/** All endpoints, from the service's OpenAPI document. Loads nothing from other hosts and needs no login. */
export function DocsPage() {
  const query = useQuery(documentQuery);
  const [{ q }, set] = useUrlState(urlDefaults);
  const endpoints = useMemo(() => (query.data ? endpointsOf(query.data) : []), [query.data]);
  const groups = useMemo(() => byTag(search(endpoints, q)), [endpoints, q]);
  const { opened, toggle } = useOpened(query.data !== undefined);
  const schemas = query.data?.components?.schemas ?? noSchemas;
  return (
    <div>
      <SkipLink />
      <header className="svc-header">
        <Brand />
        <Group flex={1} justify="flex-end" gap="sm" wrap="nowrap">
          <SearchInput label={t('Search endpoints')} value={q} onChange={(text) => set({ q: text })} width={280} />
          <LanguageMenu />
          <ColorSchemeMenu />
        </Group>
      </header>
      <div className="svc-docs">
        <Contents groups={groups} />
        <main className="svc-docs-main" id="main" tabIndex={-1}>
          {query.isPending && <Skeleton height={320} />}
          {query.error && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
          {query.data && <Introduction document={query.data} />}
          {query.data && q === '' && <QuickStart />}
          {query.data && groups.length === 0 && (
            <EmptyState
              title={t('No matching endpoints')}
              description={t('Search covers methods, paths and descriptions.')}
            />
          )}
          {groups.map(([tag, own]) => (
            <section key={tag} aria-label={groupName(tag)}>
              <Title order={2} mt="lg" mb="sm">
                {groupName(tag)}
              </Title>
              {own.map((endpoint) => (
                <EndpointView
                  key={endpoint.id}
                  endpoint={endpoint}
                  schemas={schemas}
                  open={opened.has(endpoint.id)}
                  onToggle={toggle}
                />
              ))}
            </section>
          ))}
        </main>
      </div>
    </div>
  );
}
