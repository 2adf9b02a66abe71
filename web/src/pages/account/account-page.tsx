import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { DataExport } from './data-export.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { LoginSessions } from './login-sessions.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SecondFactors } from './second-factors.tsx';

export function AccountPage() {
  return (
    <>
      <PageHeader
        title="Account"
        description="Your profile, your password and second factors, the devices you are logged in on, and your data."
      />
      <Stack gap="lg">
        <ProfileForm />
        <PasswordForm />
        <SecondFactors />
        <LoginSessions />
        <DataExport />
        <DeleteAccount />
      </Stack>
    </>
  );
}
