import { Autocomplete, Button, FileButton, Group, List, Stack, Switch, TagsInput, Text } from '@mantine/core';
import { IconFileText, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatBytes } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { categoriesOf, newestQuery, reloadKnowledge } from './knowledge-queries.ts';
import { type ImportedFile, sendFiles } from './sources-queries.ts';

const kinds = '.txt,.md,.markdown,.pdf,text/plain,text/markdown,application/pdf';

const strong = (text: ReactNode) => <strong>{text}</strong>;

function DropArea({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [over, setOver] = useState(false);
  return (
    // Users who cannot drag use the button inside.
    // biome-ignore lint/a11y/noStaticElementInteractions: only a drop target, nothing to operate
    <div
      className="svc-drop"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <IconUpload size={28} stroke={1.5} aria-hidden />
      <Text size="sm" ta="center">
        {t('Drop text, Markdown or PDF files here')}
      </Text>
      <FileButton onChange={onFiles} accept={kinds} multiple inputProps={{ 'aria-label': t('Files') }}>
        {(props) => (
          <Button {...props} variant="default" size="xs">
            {t('Choose files')}
          </Button>
        )}
      </FileButton>
      <Text size="xs" c="dimmed" ta="center">
        {t('Up to 10 MiB each')}
      </Text>
    </div>
  );
}

const keyOf = ({ name, size, lastModified }: File): string => `${lastModified} ${size} ${name}`;

function Chosen({ files, onClear }: { files: File[]; onClear: () => void }) {
  if (files.length === 0) return null;
  return (
    <Group align="flex-start" justify="space-between" wrap="nowrap">
      <List miw={0} size="sm" icon={<IconFileText size={16} aria-hidden />} aria-label={t('Chosen files')}>
        {files.map((file) => (
          <List.Item key={keyOf(file)} className="svc-anywhere">
            {file.name}{' '}
            <Text span size="xs" c="dimmed">
              {formatBytes(file.size)}
            </Text>
          </List.Item>
        ))}
      </List>
      <Button variant="subtle" size="compact-xs" flex="none" onClick={onClear}>
        {t('Clear')}
      </Button>
    </Group>
  );
}

function Told({ told }: { told: ImportedFile[] }) {
  const refused = told.filter(({ status }) => status === 'refused');
  const known = told.filter(({ status }) => status === 'unchanged');
  return (
    <Stack gap="xs" role="status">
      {refused.map(({ name, error }) => (
        <Text key={name} size="sm" className="svc-anywhere">
          {rich('<strong>{name}</strong> was not imported. {reason}', {
            name,
            strong,
            reason: serverText(error ?? ''),
          })}
        </Text>
      ))}
      {known.map(({ name, source }) => (
        <Text key={name} size="sm" className="svc-anywhere">
          {source && source.name !== name
            ? rich('<strong>{name}</strong> already exists as {source}; nothing was changed.', {
                ...{ name, strong, source: source.name },
              })
            : rich('<strong>{name}</strong> already exists; nothing was changed.', { name, strong })}
        </Text>
      ))}
    </Stack>
  );
}

interface ImportFilesProps {
  /** Files dropped on the page. */
  dropped: File[];
  onClose: () => void;
}

export function ImportFiles({ dropped, onClose }: ImportFilesProps) {
  const [files, setFiles] = useState(dropped);
  const [category, setCategory] = useState('');
  const [keywords, setKeywords] = useState<string[]>([]);
  const [replace, setReplace] = useState(false);
  const [told, setTold] = useState<ImportedFile[]>([]);
  const newest = useQuery(newestQuery);
  const importing = useAct({
    mutationFn: async () => {
      const answers: ImportedFile[] = [];
      for await (const portion of sendFiles({ files, category, keywords, replace })) {
        answers.push(...portion.told);
        setTold([...answers]);
        setFiles((chosen) => chosen.filter((file) => !portion.files.includes(file)));
      }
      return answers;
    },
    onSuccess: (answers) => {
      const accepted = answers.filter(({ status }) => status === 'accepted').length;
      if (accepted > 0)
        notifySuccess(t('{count, plural, one {# file} other {# files}} being imported', { count: accepted }));
      if (accepted === answers.length) onClose();
    },
    onSettled: reloadKnowledge,
  });
  const add = (more: File[]) => {
    importing.reset();
    setTold([]);
    setFiles([...new Map([...files, ...more].map((file) => [keyOf(file), file])).values()]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    importing.mutate();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('Import files')}
      size="lg"
      onSubmit={submit}
      noValidate
      act={importing}
      failure={t('The files were not imported')}
      submitLabel={
        files.length === 0
          ? t('Import')
          : t('Import {count, plural, one {# file} other {# files}}', { count: files.length })
      }
      disabled={files.length === 0}
    >
      <DropArea onFiles={add} />
      <Chosen files={files} onClear={() => setFiles([])} />
      {told.length > 0 && <Told told={told} />}
      <Autocomplete
        label={t('Category')}
        description={t('Applies to every passage of these files')}
        placeholder="document"
        maxLength={64}
        data={categoriesOf(newest.data)}
        value={category}
        onChange={setCategory}
      />
      <TagsInput
        label={t('Keywords')}
        description={t('Words to find these files by; press Enter after each')}
        maxTags={50}
        value={keywords}
        onChange={setKeywords}
      />
      <Switch
        label={t('Replace earlier files of the same name')}
        checked={replace}
        onChange={(event) => setReplace(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
