import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { formatBytes } from '../../format.ts';
import { t } from '../../language/words.ts';
import { saveFile } from '../../save-file.ts';
import { useAct } from '../../use-act.ts';
import { fetchExport } from './fetch-export.ts';

export function DataExport() {
  const running = useRef<AbortController>(null);
  const [bytes, setBytes] = useState(0);
  const make = useAct({
    mutationFn: () => {
      setBytes(0);
      running.current = new AbortController();
      return fetchExport(running.current.signal, setBytes);
    },
    onSuccess: saveFile,
  });
  // Leaving the page cancels the download.
  useEffect(() => () => running.current?.abort(), []);
  const stop = () => {
    running.current?.abort();
    make.reset();
  };
  return (
    <Section
      title={t('Your data')}
      description={t(
        'Everything the service stores about you in one JSON file: profile, devices, keys, applications, conversations, knowledge, runs, videos, usage and ledger. It contains no passwords, key values or other secrets.',
      )}
    >
      <Stack align="flex-start">
        <Group>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={make.isPending}
            onClick={() => make.mutate()}
          >
            {t('Download my data')}
          </Button>
          {make.isPending && (
            <Button variant="subtle" color="gray" onClick={stop}>
              {t('Cancel')}
            </Button>
          )}
          <Group gap="xs" role="status" aria-label={t('Download')} wrap="nowrap">
            {make.isPending && (
              <>
                <Loader size="xs" aria-hidden />
                <Text size="sm" className="svc-number">
                  {bytes === 0
                    ? t('Preparing your file…')
                    : t('Preparing your file: {size} so far', { size: formatBytes(bytes) })}
                </Text>
              </>
            )}
            {make.data && (
              <Text size="sm" className="svc-number">
                {t('Done: {file}, {size}', { file: make.data.name, size: formatBytes(make.data.blob.size) })}
              </Text>
            )}
          </Group>
        </Group>
        {make.error && (
          <ErrorState error={make.error} title={t('Your data could not be downloaded')} onRetry={() => make.mutate()} />
        )}
      </Stack>
    </Section>
  );
}
