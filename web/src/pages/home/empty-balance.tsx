import { Alert } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { AnchorLink } from '../../components/link.tsx';
import { rich, t } from '../../language/words.ts';

/** The first call would be rejected, and nothing else on this page says why or what to do. */
export function EmptyBalance() {
  return (
    <Alert variant="light" color="yellow" icon={<IconCoins aria-hidden />} title={t('Your balance is empty')}>
      {rich(
        'Paid models refuse your requests until you have credits; free models still answer. <link>Get credits</link>',
        {
          link: (text) => (
            <AnchorLink to="/credits" inherit underline="always">
              {text}
            </AnchorLink>
          ),
        },
      )}
    </Alert>
  );
}
