/** The mappings of a concept map, and a form that translates a code by it. */
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { textOf } from '../../api/json';
import { askOperation } from '../../api/terminology';
import { readMappings, type Mapping } from '../../fhir/concept-map';
import { shortUrl } from '../../fhir/format';
import { readParameters, textIn } from '../../fhir/terminology';
import { Loaded } from '../../layout/loaded';
import { RecordTable } from '../../layout/record-table';
import { Part } from '../../layout/heading';
import type { Space } from '../../place';
import { texts } from '../../texts';
import type { DefinitionViewProps } from './code-system-view';
import classes from './terminology.module.css';

const { terminology } = texts;
/** Mappings that are shown. */
const SHOWN = 200;

export function ConceptMapView({ space, value }: DefinitionViewProps) {
  const mappings = useMemo(() => readMappings(value), [value]);
  const systems = [...new Set(mappings.map(({ system }) => system))].filter((system) => system !== '');
  return (
    <>
      {systems.length === 0 ? null : (
        <Translation space={space} id={textOf(value['id']) ?? ''} systems={systems} />
      )}
      <Part title={terminology.mappings}>
        {mappings.length > SHOWN ? <Text size="sm">{terminology.firstMappings(SHOWN)}</Text> : null}
        <MappingTable mappings={mappings.slice(0, SHOWN)} />
      </Part>
    </>
  );
}

function Translation({
  space,
  id,
  systems,
}: {
  readonly space: Space;
  readonly id: string;
  readonly systems: readonly string[];
}) {
  const form = useForm({ initialValues: { system: systems[0] ?? '', code: '' } });
  const [asked, setAsked] = useState<{ readonly system: string; readonly code: string }>();
  return (
    <Part title={terminology.translate}>
      <form onSubmit={form.onSubmit(({ system, code }) => setAsked({ system, code: code.trim() }))}>
        <Group align="end" gap="sm">
          <Select
            label={terminology.sourceSystem}
            data={[...systems]}
            {...form.getInputProps('system')}
            allowDeselect={false}
            w={{ base: '100%', xs: 380 }}
          />
          <TextInput label={terminology.code} {...form.getInputProps('code')} required withAsterisk={false} />
          <Button type="submit" variant="default">
            {terminology.translateButton}
          </Button>
        </Group>
      </form>
      {asked === undefined ? null : <Translations space={space} id={id} {...asked} />}
    </Part>
  );
}

function Translations({
  space,
  id,
  system,
  code,
}: {
  readonly space: Space;
  readonly id: string;
  readonly system: string;
  readonly code: string;
}) {
  const answer = useQuery({
    queryKey: ['translate', space, id, system, code],
    queryFn: async ({ signal }) =>
      readParameters(await askOperation(space, `ConceptMap/${id}/$translate`, { system, code }, signal)),
    retry: false,
  });
  return (
    <Loaded query={answer}>
      {(parameters) => {
        const matches = parameters.filter(({ name }) => name === 'match');
        if (matches.length === 0) {
          return (
            <Text size="sm" mt="sm" role="status">
              {textIn(parameters, 'message') || terminology.noTranslation}
            </Text>
          );
        }
        return (
          <Stack gap={4} component="ul" m={0} mt="sm" pl="md" aria-label={terminology.translations}>
            {matches.map(({ parts }, index) => (
              <Text key={index} size="sm" component="li">
                {textIn(parts, 'equivalence')}:{' '}
                <span className={classes['code']}>{textIn(parts, 'concept')}</span>
              </Text>
            ))}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function MappingTable({ mappings }: { readonly mappings: readonly Mapping[] }) {
  return (
    <RecordTable
      rows={mappings}
      caption={terminology.mappingsCaption}
      look={{ verticalSpacing: 4 }}
      minWidth={520}
      keyOf={(_, index) => index}
      columns={[
        {
          title: terminology.source,
          cell: ({ code, display, system }) => <CodeWords {...{ code, display, system }} />,
        },
        { title: terminology.relation, cell: ({ relation }) => relation },
        {
          title: terminology.target,
          cell: ({ target, targetDisplay, targetSystem }) => (
            <CodeWords code={target} display={targetDisplay} system={targetSystem} />
          ),
        },
      ]}
    />
  );
}

function CodeWords({
  code,
  display,
  system,
}: {
  readonly code: string;
  readonly display: string;
  readonly system: string;
}) {
  if (code === '') return null;
  return (
    <>
      <span className={classes['code']}>{code}</span> {display}{' '}
      <Text span size="xs" c="dimmed" title={system}>
        {shortUrl(system)}
      </Text>
    </>
  );
}
