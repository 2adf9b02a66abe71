import { Group, Stack, Table, Text } from '@mantine/core';
import { Code as CodeView } from '../../components/code-block.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';
import { kindOf } from './audit-events.ts';
import { placeOf } from './audit-links.ts';
import { type Difference, differencesOf, type Shown } from './difference.ts';
import type { Entry } from './entry.ts';

/** Differing values are marked with <del> or <ins>, so that the difference is not shown by colour alone. */
function Side({ values, as: Mark }: { values: Shown[]; as: 'del' | 'ins' }) {
  if (values.length === 0) return '–';
  return (
    <Group gap={4} component="span">
      {values.map(({ text, differs }) =>
        differs ? (
          <Mark key={text} className="svc-break" dir="auto">
            {text}
          </Mark>
        ) : (
          <span key={text} className="svc-break" dir="auto">
            {text}
          </span>
        ),
      )}
    </Group>
  );
}

function Changes({ differences }: { differences: Difference[] }) {
  const sides = { before: differences.some(({ before }) => before.length > 0), after: true };
  return (
    <Table withRowBorders={false} verticalSpacing={4} className="svc-plain-table svc-change">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('Field')}</Table.Th>
          {sides.before && <Table.Th scope="col">{t('Before##change')}</Table.Th>}
          <Table.Th scope="col">{t('After##change')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {differences.map(({ field, label, before, after }) => (
          <Table.Tr key={field}>
            <Table.Td title={field}>{label}</Table.Td>
            {sides.before && (
              <Table.Td>
                <Side values={before} as="del" />
              </Table.Td>
            )}
            <Table.Td>
              <Side values={after} as="ins" />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Links to the actor and to the target. */
function Places({ actor, target }: Pick<Entry, 'actor' | 'target'>) {
  const place = placeOf(target);
  return (
    <Group gap="md">
      {actor.id !== null && (
        <AnchorLink to={`/admin/users/${actor.id}`} size="sm" underline="always">
          {actor.name ? t('Open {name}', { name: actor.name }) : t('Open user {id}', { id: actor.id })}
        </AnchorLink>
      )}
      {place && !(target.type === 'user' && target.id === actor.id) && (
        <AnchorLink {...place} size="sm" underline="always">
          {t('Open {kind} {name}', { kind: kindOf(target.type), name: target.name || (target.id ?? '') })}
        </AnchorLink>
      )}
    </Group>
  );
}

/** What an entry changed, its other details, and the client it came from. */
export function EntryDetail({ entry }: { entry: Entry }) {
  const { before, after, metadata, user_agent, actor, target } = entry;
  const differences = differencesOf(target.type, before, after);
  return (
    <Stack gap="sm">
      {differences.length > 0 ? (
        <Changes differences={differences} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('Nothing to compare.')}
        </Text>
      )}
      {Object.keys(metadata).length > 0 && (
        <CodeView label={t('More about this entry')} code={JSON.stringify(metadata, null, 2)} maxHeight={400} />
      )}
      <Places actor={actor} target={target} />
      {user_agent && (
        <Text size="xs" c="dimmed" className="svc-break">
          {user_agent}
        </Text>
      )}
    </Stack>
  );
}
