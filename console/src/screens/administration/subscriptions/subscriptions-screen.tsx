/** The Subscriptions of a tenant. */
import { Stack } from '@mantine/core';
import { ScreenHeading } from '../../../layout/heading';
import { texts } from '../../../texts';
import { useTenant } from '../queries';
import { Deliveries } from './deliveries';

export function SubscriptionsScreen() {
  const tenant = useTenant();
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={texts.administration.subscriptionScreens.intro} />
      <Deliveries tenant={tenant} />
    </Stack>
  );
}
