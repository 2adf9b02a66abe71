import { ActionIcon, Menu } from '@mantine/core';
import { IconCheck, IconLanguage } from '@tabler/icons-react';
import { choose } from '../language/choose.ts';
import { languages } from '../language/languages.ts';
import { language, t } from '../language/words.ts';

/** Languages under their own names: whoever cannot read the page still finds the way out. */
export function LanguageMenu() {
  return (
    <Menu position="bottom-end" width={150}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Language')}>
          <IconLanguage size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map(({ code, name }) => (
          <Menu.Item
            key={code}
            lang={code}
            role="menuitemradio"
            aria-checked={code === language}
            rightSection={code === language ? <IconCheck size={14} aria-hidden /> : null}
            onClick={() => choose(code)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
