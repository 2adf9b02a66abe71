import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { rich, t } from '../../language/words.ts';
import { agentSnippets } from './agent-snippets.ts';
import type { Connections } from './tools-queries.ts';

const all = { value: '', label: t('All tools together') };

/** The MCP addresses for agents, with the configuration for each agent. */
export function AgentSection({ connections }: { connections: Connections }) {
  const [chosen, setChosen] = useState('');
  const { servers, address, api_keys: withKey } = connections;
  const enabled = servers.filter((server) => server.enabled);
  const server = enabled.find(({ name }) => name === chosen);
  const place = server ?? { name: 'svc-tools', address };
  return (
    <Section
      title={t('Use them from an agent')}
      description={t(
        'Any client that speaks MCP over Streamable HTTP. It lists and calls what you may use, nothing else.',
      )}
    >
      <Stack>
        <Select
          label={t('Tools')}
          data={[all, ...enabled.map(({ name }) => ({ value: name, label: name }))]}
          value={server?.name ?? ''}
          onChange={(name) => setChosen(name ?? '')}
          allowDeselect={false}
          searchable
          maw={320}
        />
        <CopyField label={t('Address')} value={place.address} />
        <CodeBlock snippets={agentSnippets({ ...place, withKey })} />
        <Text size="sm" c="dimmed">
          {withKey
            ? rich('Use one of your <keys>keys</keys>, or leave it out: clients that can sign in with a browser do.', {
                keys: (text) => (
                  <AnchorLink to="/keys" underline="always">
                    {text}
                  </AnchorLink>
                ),
              })
            : t('Keys are not taken here: the client opens a browser, where you say what it may use.')}
        </Text>
      </Stack>
    </Section>
  );
}
