/** The first screen: what this server is, its addresses, and what to do with it. */
import { Alert, Anchor, Badge, Card, Grid, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { closestName } from '../../../../packages/fhir-values/closest-name';
import { Failure } from '../../api/failure';
import { parseJson, type JsonObject } from '../../api/json';
import { toCurl } from '../../fhir/search/search-curl';
import { get } from '../../api/fhir';
import { CopyField, CopyLine } from '../../layout/copy';
import { useSpace } from '../../layout/current-screen';
import { FailureView } from '../../layout/failure-view';
import { Part, ScreenHeading } from '../../layout/heading';
import { TenantChoice } from '../../layout/tenant-switcher';
import { useAdministrationPath } from '../../layout/use-administration';
import { addressOfTenant, useKnownTenants } from '../../layout/use-known-tenants';
import { usePerson } from '../../layout/use-person';
import { absolute, isSignInNeeded, fhirPath, graphqlPath, PREFIX, screenPath, type Space } from '../../place';
import { texts } from '../../texts';

const { start } = texts;

export function StartScreen() {
  const space = useSpace();
  const person = usePerson(space);
  const probe = useQuery({
    queryKey: ['access', space, person?.name],
    queryFn: ({ signal }) => get(space, 'Patient?_count=0', signal),
    retry: false,
  });
  const refusal = probe.error instanceof Failure ? probe.error : undefined;
  // The server says that there is no such tenant, so that nothing else of it is true.
  if (refusal?.status === 404) return <UnknownTenant space={space} refusal={refusal} />;
  const isSignInAsked = refusal?.status === 401 && person === undefined;
  return (
    <Stack gap="lg">
      <ScreenHeading title={start.title} tab="" intro={start.intro} />
      {isSignInAsked ? <NextSteps space={space} /> : null}
      <Actions space={space} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Addresses space={space} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Health />
            <Part title={start.tenants}>
              <TenantChoice space={space} />
            </Part>
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Actions({ space }: { readonly space: Space }) {
  const actions = [
    { label: start.findPatient, hint: start.findPatientHint, path: fhirPath(space, 'Patient') },
    { label: start.browse, hint: start.browseHint, path: fhirPath(space) },
    { label: start.query, hint: start.queryHint, path: screenPath(space, 'graphiql') },
    { label: start.terms, hint: start.termsHint, path: screenPath(space, 'terminology') },
    { label: start.manage, hint: start.manageHint, path: useAdministrationPath(space) },
  ];
  return (
    <Part title={start.actions}>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm">
        {actions.map(({ label, hint, path }) =>
          path === undefined ? null : (
            <Card key={label} component={Link} to={path} withBorder padding="sm">
              <Text fw={600}>{label}</Text>
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            </Card>
          ),
        )}
        <Card component="a" href={`${PREFIX}/docs/`} withBorder padding="sm">
          <Text fw={600}>{start.read}</Text>
          <Text size="sm" c="dimmed">
            {start.readHint}
          </Text>
        </Card>
      </SimpleGrid>
    </Part>
  );
}

function Addresses({ space }: { readonly space: Space }) {
  const root = absolute(fhirPath(space));
  const lines = [
    { what: start.rest, value: root },
    { what: start.graphql, value: absolute(graphqlPath(space)) },
    { what: start.capabilities, value: `${root}/metadata` },
    { what: start.openapi, value: `${root}/openapi.json` },
    { what: start.smart, value: `${root}/.well-known/smart-configuration` },
    { what: start.curl, value: toCurl(`${root}/Patient?_count=1`, isSignInNeeded()) },
  ];
  return (
    <Part title={start.addresses}>
      <Stack gap="xs">
        {lines.map(({ what, value }) => (
          <CopyField key={what} what={what} value={value} />
        ))}
      </Stack>
    </Part>
  );
}

/** The health of the process; the answer has the same form when it is not ready. */
async function readHealth(): Promise<JsonObject> {
  const response = await fetch(`${PREFIX}/health/ready`);
  return parseJson(await response.text()) as JsonObject;
}

function Health() {
  const health = useQuery({ queryKey: ['health'], queryFn: readHealth, refetchInterval: 10_000 });
  const isReady = health.data?.['status'] === 'ready';
  const notices = Array.isArray(health.data?.['notices']) ? health.data['notices'].map(String) : [];
  return (
    <Part
      title={start.health}
      beside={
        health.isPending ? null : (
          <Badge color={isReady ? 'teal' : 'red'} variant="light" role="status">
            {isReady ? start.ready : start.notReady}
          </Badge>
        )
      }
    >
      {notices.map((notice) => (
        <Text key={notice} size="sm">
          {notice}
        </Text>
      ))}
    </Part>
  );
}

/** Only what the server says, and the tenants that there are. */
function UnknownTenant({ space, refusal }: { readonly space: Space; readonly refusal: Failure }) {
  const names = useKnownTenants(space).map(({ name }) => name);
  const meant = closestName(space.tenant, names);
  return (
    <Stack gap="lg">
      <ScreenHeading title={start.title} tab="" />
      <FailureView error={refusal} />
      {meant === undefined ? null : (
        <Text>
          {start.meant} <Anchor href={addressOfTenant(meant)}>{meant}</Anchor>?
        </Text>
      )}
      <Part title={start.tenants}>
        <TenantChoice space={space} />
      </Part>
    </Stack>
  );
}

/** Where nobody has signed in and the server asks for it: how to begin. */
function NextSteps({ space }: { readonly space: Space }) {
  return (
    <Alert title={start.nextTitle} color="blue">
      <Stack gap="xs">
        <Text size="sm">{start.nextEnforced}</Text>
        <Text size="sm">{start.nextEnforcedFirst}</Text>
        <CopyLine what={start.nextTitle} value={start.nextEnforcedUser} />
        <Text size="sm">{start.nextEnforcedFhir}</Text>
        <CopyLine what={start.nextTitle} value={start.nextEnforcedPerson(space.tenant)} />
      </Stack>
    </Alert>
  );
}
