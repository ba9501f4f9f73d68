/** Looks up a code, and lists the code systems, value sets and concept maps. */
import { SegmentedControl, Stack } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { isKind, KINDS } from '../../api/terminology';
import { useSpace } from '../../layout/current-screen';
import { ScreenHeading } from '../../layout/heading';
import { texts } from '../../texts';
import { CheckCode } from './check-code';
import { DefinitionBrowser } from './definition-browser';

const { terminology } = texts;

export function TerminologyHome() {
  const space = useSpace();
  const [parameters, setParameters] = useSearchParams();
  const named = parameters.get('kind') ?? undefined;
  const kind = isKind(named) ? named : 'CodeSystem';
  return (
    <Stack gap="lg">
      <ScreenHeading intro={terminology.intro} />
      <CheckCode space={space} />
      <Stack gap="sm">
        <SegmentedControl
          aria-label={terminology.kind}
          size="xs"
          data={KINDS.map((value) => ({ value, label: terminology.kinds[value] }))}
          value={kind}
          onChange={(value) =>
            setParameters((before) => {
              before.set('kind', value);
              return before;
            })
          }
          style={{ alignSelf: 'start' }}
        />
        <DefinitionBrowser key={kind} space={space} kind={kind} />
      </Stack>
    </Stack>
  );
}
