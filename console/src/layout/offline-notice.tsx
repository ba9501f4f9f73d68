/** Says that the machine has no network, so that what is shown can be old. */
import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { texts } from '../texts';

export function OfflineNotice() {
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Alert color="orange" role="status" mb="md">
      {texts.failures.offlineNotice}
    </Alert>
  );
}
