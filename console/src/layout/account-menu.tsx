/** Who has signed in to which tenant as what; before that the way to the sign-in. */
import { Button, Menu, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { dropBulkJobsOf } from '../api/bulk-jobs';
import { signOut } from '../api/session';
import { dropDrafts, useHasDrafts } from '../editor/drafts';
import { dropRequestsTo } from '../rest/history';
import { PREFIX, resourcePath, tenantPath } from '../place';
import { texts } from '../texts';
import { useSessionSpace } from './current-screen';
import { IconUser } from './icons/icons';
import classes from './layout.module.css';
import { SignInButton } from './sign-in-button';
import { usePerson } from './use-person';

const { account: words } = texts.common;

export function AccountMenu() {
  const space = useSessionSpace();
  const person = usePerson(space);
  const { tenant } = space;
  const hasDrafts = useHasDrafts(tenant);
  if (person === undefined) return <SignInButton space={space} variant="default" />;
  const { name, record } = person;
  const [type = '', id = ''] = record?.split('/') ?? [];
  const roles = [
    record === undefined ? '' : words.kind(type),
    person.isAdministrator ? words.administrator : '',
    person.isAuditor ? words.auditor : '',
  ].filter((role) => role !== '');
  return (
    <Menu>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          maw={240}
          className={`${classes['name'] ?? ''} ${classes['person'] ?? ''}`}
          leftSection={<IconUser size={14} aria-hidden />}
        >
          <bdi>{name}</bdi>
        </Button>
      </Menu.Target>
      <Menu.Dropdown maw={320}>
        <Menu.Label>
          <Stack gap={2} className={classes['names'] ?? ''}>
            <Text size="sm" c="var(--mantine-color-text)">
              {words.signedInAs} <bdi>{name}</bdi>
            </Text>
            <Text size="xs">
              {words.tenant} <bdi>{tenant}</bdi>
              {['', tenant].includes(person.tenant) ? null : (
                <>
                  {' · '}
                  <bdi>{person.tenant}</bdi>
                </>
              )}
            </Text>
            <Text size="xs">{roles.length === 0 ? words.noRole : roles.join(', ')}</Text>
          </Stack>
        </Menu.Label>
        {record === undefined ? null : (
          <Menu.Item component={Link} to={resourcePath(space, type, id)}>
            {words.ownRecord}
          </Menu.Item>
        )}
        <Menu.Item component="a" href={`${PREFIX}${tenantPath(tenant, 'oidc/second-factor')}`}>
          {words.secondFactor}
        </Menu.Item>
        <Menu.Item
          onClick={() => {
            dropDrafts(tenant);
            dropRequestsTo(tenant);
            dropBulkJobsOf(tenant);
            void signOut(tenant);
          }}
        >
          {hasDrafts ? words.signOutAndDiscard : texts.common.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
