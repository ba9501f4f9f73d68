/** The Subscriptions of all tenants. */
import { Stack } from '@mantine/core';
import { ScreenHeading } from '../../layout/heading';
import { texts } from '../../texts';
import { Deliveries } from '../administration/subscriptions/deliveries';

export function AllSubscriptionsScreen() {
  return (
    <Stack gap="md">
      <ScreenHeading intro={texts.administration.subscriptionScreens.introOfAll} />
      <Deliveries />
    </Stack>
  );
}
