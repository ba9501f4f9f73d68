/** Chooses the scopes of a client in words; the same scopes can be written as text. */
import { Alert, Checkbox, Fieldset, Group, Pill, Stack, Text, Textarea } from '@mantine/core';
import { texts } from '../../../texts';
import { AddScope } from './add-scope';
import { toWords, uselessScopes } from './scopes';

const words = texts.administration.clientScreens;

const SIGN_IN = [
  'openid',
  'fhirUser',
  'launch/patient',
  'launch',
  'offline_access',
  'online_access',
] as const;

export interface ScopeBuilderProps {
  /** As text, separated by spaces. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isForPeople: boolean;
}

export function ScopeBuilder({ value, onChange, isForPeople }: ScopeBuilderProps) {
  const scopes = toWords(value);
  const change = (next: readonly string[]): void => onChange([...new Set(next)].join(' '));
  const useless = uselessScopes(scopes, isForPeople);
  return (
    <Fieldset legend={words.scopes}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {words.scopesHint}
        </Text>
        {isForPeople ? (
          <Checkbox.Group
            label={words.signInScopes}
            value={SIGN_IN.filter((scope) => scopes.includes(scope))}
            onChange={(chosen) => {
              const others = scopes.filter((scope) => !SIGN_IN.some((each) => each === scope));
              change([...chosen, ...others]);
            }}
          >
            <Stack gap={6} mt={6}>
              {SIGN_IN.map((scope) => (
                <Checkbox key={scope} value={scope} label={words.signIn[scope]} size="sm" />
              ))}
            </Stack>
          </Checkbox.Group>
        ) : null}
        <AddScope isForPeople={isForPeople} add={(scope) => change([...scopes, scope])} />
        <ChosenScopes scopes={scopes} change={change} />
        {useless.length > 0 ? (
          <Alert color="yellow" p="xs">
            {words.useless(useless.join(' '), isForPeople)}
          </Alert>
        ) : null}
        <Textarea
          label={words.scopesRaw}
          description={words.scopesRawHint}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          autosize
          minRows={2}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          spellCheck={false}
        />
      </Stack>
    </Fieldset>
  );
}

function ChosenScopes({
  scopes,
  change,
}: {
  readonly scopes: readonly string[];
  readonly change: (scopes: readonly string[]) => void;
}) {
  return (
    <div role="group" aria-label={words.chosen}>
      <Text size="sm" fw={500} mb={4}>
        {words.chosen}
      </Text>
      {scopes.length === 0 ? <Text size="sm">{words.noScopes}</Text> : null}
      <Group gap={6}>
        {scopes.map((scope) => (
          <Pill
            key={scope}
            withRemoveButton
            size="md"
            onRemove={() => change(scopes.filter((each) => each !== scope))}
            removeButtonProps={{
              'aria-label': words.removeScope(scope),
              'aria-hidden': false,
              tabIndex: 0,
            }}
            styles={{ root: { height: 'auto' }, label: { whiteSpace: 'normal', overflow: 'visible' } }}
          >
            {scope}
          </Pill>
        ))}
      </Group>
    </div>
  );
}
