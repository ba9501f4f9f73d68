/** Says that a code system is not here, so that nothing is known of its codes, and how to load it. */
import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { PREFIX } from '../../place';
import { texts } from '../../texts';

const { terminology } = texts;

/** True for the sentence with which the server says so (core/fhir/terminology/not-loaded.ts). */
export function saysNotLoaded(message: string): boolean {
  return message.includes(' is not loaded here');
}

export function HowToLoad() {
  return (
    <Anchor href={`${PREFIX}/docs/use/import-guide#load-a-code-system`} size="sm" underline="always">
      {terminology.howToLoad}
    </Anchor>
  );
}

export function NotLoaded({ message }: { readonly message: string }) {
  return (
    <Alert color="yellow" title={terminology.notLoaded}>
      <Stack gap={4}>
        <Text size="sm">{message}</Text>
        <Text size="sm">{terminology.notLoadedHint}</Text>
        <HowToLoad />
      </Stack>
    </Alert>
  );
}
