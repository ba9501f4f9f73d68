/** What a code means, and whether a value set has it. */
import { Alert, Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Failure } from '../../api/failure';
import { askOperation } from '../../api/terminology';
import { readParameters, textIn, type AnswerParameter } from '../../fhir/terminology';
import { CopyIcon } from '../../layout/copy';
import { Loaded } from '../../layout/loaded';
import { conceptPath, type Space } from '../../place';
import { texts } from '../../texts';
import { Designations, Properties } from './concept-tables';
import classes from './terminology.module.css';
import { NotLoaded, saysNotLoaded } from './not-loaded';
import { useDefinitions } from './use-definitions';

const { terminology } = texts;

export interface CheckResultProps {
  readonly space: Space;
  readonly system: string;
  readonly code: string;
  readonly valueSet: string;
}

export function CheckResult(props: CheckResultProps) {
  return (
    <Stack gap="md" aria-live="polite">
      {props.valueSet === '' ? null : <Membership {...props} />}
      {props.system === '' ? null : <LookedUp {...props} />}
    </Stack>
  );
}

/** A version of a canonical url is a parameter of its own. */
const versioned = (canonical: string): readonly [string, string | undefined] => {
  const [url = '', version] = canonical.split('|');
  return [url, version];
};

/** Each names a code system without which nothing is known of the code. */
const NOT_HERE = ['x-caused-by-unknown-system', 'x-unknown-system'];

function Membership({ space, system, code, valueSet }: CheckResultProps) {
  const [url, valueSetVersion] = versioned(valueSet);
  const answer = useQuery({
    queryKey: ['validate-code', space, system, code, valueSet],
    queryFn: async ({ signal }) => {
      const parameters = { url, valueSetVersion, system, code };
      return readParameters(await askOperation(space, 'ValueSet/$validate-code', parameters, signal));
    },
    retry: false,
  });
  return (
    <Loaded query={answer}>
      {(parameters) => {
        const isIn = textIn(parameters, 'result') === 'true';
        const words = [textIn(parameters, 'display'), textIn(parameters, 'message')];
        if (!isIn && NOT_HERE.some((name) => textIn(parameters, name) !== ''))
          return <NotLoaded message={textIn(parameters, 'message')} />;
        return (
          <Alert
            color={isIn ? 'teal' : 'red'}
            title={isIn ? terminology.inValueSet : terminology.notInValueSet}
          >
            <Text size="sm" className={classes['words'] ?? ''}>
              {words.filter((each) => each !== '').join('\n')}
            </Text>
          </Alert>
        );
      }}
    </Loaded>
  );
}

/** The parameters of `$lookup`; undefined: the server does not know the system or the code. */
async function lookUp(
  { space, system, code }: Omit<CheckResultProps, 'valueSet'>,
  signal: AbortSignal,
): Promise<{ readonly parameters: readonly AnswerParameter[]; readonly message: string }> {
  const [url, version] = versioned(system);
  try {
    const answer = await askOperation(space, 'CodeSystem/$lookup', { system: url, version, code }, signal);
    return { parameters: readParameters(answer), message: '' };
  } catch (error) {
    const isUnknown = error instanceof Failure && (error.status === 404 || error.status === 422);
    if (!isUnknown) throw error;
    return { parameters: [], message: error.message };
  }
}

function LookedUp({ space, system, code }: CheckResultProps) {
  const answer = useQuery({
    queryKey: ['lookup', space, system, code],
    queryFn: ({ signal }) => lookUp({ space, system, code }, signal),
    retry: false,
  });
  const systems = useDefinitions(space, 'CodeSystem');
  const [url] = versioned(system);
  const known = systems.data?.definitions.find((each) => each.url === url);
  return (
    <Loaded query={answer}>
      {({ parameters, message }) =>
        saysNotLoaded(message) ? (
          <NotLoaded message={message} />
        ) : message !== '' ? (
          <Alert color="yellow" title={terminology.notFound}>
            <Text size="sm">{message}</Text>
          </Alert>
        ) : (
          <Stack gap="sm">
            <Group gap="xs">
              <Badge color="teal" variant="light" tt="none">
                {terminology.found}
              </Badge>
              <Text fw={600}>{textIn(parameters, 'display') || code}</Text>
              <Text className={classes['code'] ?? ''} size="sm">
                {code}
              </Text>
              <CopyIcon value={`${system}|${code}`} what={terminology.code} />
            </Group>
            <Text size="sm" c="dimmed">
              {[textIn(parameters, 'name'), textIn(parameters, 'version')]
                .filter((each) => each !== '')
                .join(' · ')}{' '}
              {known === undefined ? null : (
                <Anchor component={Link} size="sm" underline="always" to={conceptPath(space, known.id, code)}>
                  {terminology.openSystem}
                </Anchor>
              )}
            </Text>
            <Properties parameters={parameters} />
            <Designations parameters={parameters} />
          </Stack>
        )
      }
    </Loaded>
  );
}
