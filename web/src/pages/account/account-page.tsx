import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { SignInFault } from '../../components/sign-in-fault.tsx';
import { t } from '../../language/words.ts';
import { DataExport } from './data-export.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { LinkedAccounts } from './linked-accounts.tsx';
import { LoginSessions } from './login-sessions.tsx';
import { OwnStoredData } from './own-stored-data.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SecondFactors } from './second-factors.tsx';

export function AccountPage() {
  return (
    <>
      <PageHeader
        title={t('Account')}
        description={t('Your profile, password, second factors, logged-in devices and data.')}
      />
      <Stack gap="lg">
        <SignInFault />
        <ProfileForm />
        <LanguageChoice />
        <PasswordForm />
        <LinkedAccounts />
        <SecondFactors />
        <LoginSessions />
        <OwnStoredData />
        <DataExport />
        <DeleteAccount />
      </Stack>
    </>
  );
}
