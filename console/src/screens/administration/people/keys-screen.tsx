/** The keys with which a tenant signs tokens. */
import { Alert, Group, Stack } from '@mantine/core';
import { rotateKeys } from '../../../api/administration';
import { CopyField } from '../../../layout/copy';
import { absolute, tenantPath } from '../../../place';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part, ScreenHeading } from '../../../layout/heading';
import { useChange, useTenant } from '../queries';

const words = texts.administration.people.keys;

export function KeysScreen() {
  const tenant = useTenant();
  const rotation = useChange((isRevoking: boolean) => rotateKeys(tenant, isRevoking));
  return (
    <Stack gap="xl">
      <ScreenHeading place={tenant} intro={words.intro} />
      <CopyField what={words.address} value={`${absolute(tenantPath(tenant))}/oidc/jwks`} />
      <Part title={words.rotate} hint={words.rotateHint}>
        <Group>
          <Confirm
            label={words.rotate}
            title={words.rotateTitle}
            words={words.rotateWords}
            action={words.rotate}
            run={() => rotation.mutateAsync(false)}
          />
        </Group>
      </Part>
      <Part title={words.revoke} hint={words.revokeHint}>
        <Group>
          <Confirm
            label={words.revoke}
            title={words.revokeTitle}
            words={words.revokeWords}
            action={words.revoke}
            button={{ color: 'red', variant: 'outline' }}
            run={() => rotation.mutateAsync(true)}
          />
        </Group>
      </Part>
      {rotation.isSuccess ? (
        <Alert color="teal" role="status" title={rotation.variables ? words.revoked : words.done} />
      ) : null}
    </Stack>
  );
}
