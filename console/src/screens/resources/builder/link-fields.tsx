/** The inputs of a criterion on what a record refers to, or on what refers to it. */
import { Group, Select, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { referrersOf } from '../../../fhir/capabilities';
import { humanize } from '../../../fhir/humanize';
import { emptyCriterion } from '../../../fhir/search/search-conditions';
import { useCapabilities, useSearchParameters } from '../../../fhir/search/search-definitions';
import type { Criterion } from '../../../fhir/search/search-query';
import type { Space } from '../../../place';
import { texts } from '../../../texts';

const { resources } = texts;

export type Link = Exclude<Criterion, { readonly kind: 'value' }>;
interface LinkProps<Kind extends Link['kind']> {
  readonly space: Space;
  /** The type that the criterion is about. */
  readonly type: string;
  readonly criterion: Extract<Link, { readonly kind: Kind }>;
  readonly onChange: (criterion: Criterion) => void;
  /** The inputs of the condition on the other record. */
  readonly children: ReactNode;
}

export function LinkFields({ criterion, ...props }: LinkProps<Link['kind']>) {
  return criterion.kind === 'chain' ? (
    <ChainFields {...props} criterion={criterion} />
  ) : (
    <HasFields {...props} criterion={criterion} />
  );
}

function ChainFields({ space, type, criterion, onChange, children }: LinkProps<'chain'>) {
  const { parameters } = useSearchParameters(space, type);
  const capabilities = useCapabilities(space);
  const label = humanize(criterion.name);
  const known = parameters.find(({ code }) => code === criterion.name)?.targets ?? [];
  const targets = known.length > 0 ? known : [...(capabilities.data?.keys() ?? [])];
  return (
    <Stack gap="xs" flex={1}>
      <Group gap="xs">
        <Text size="sm">{resources.conditions.reference}</Text>
        <TypeSelect
          label={label}
          types={targets}
          value={criterion.target}
          onChange={(target) => onChange({ ...criterion, target, of: emptyCriterion('') })}
        />
        <Text size="sm">{resources.whose}</Text>
        <ParameterSelect
          space={space}
          type={criterion.target}
          label={label}
          value={criterion.of}
          onChange={(of) => onChange({ ...criterion, of })}
        />
      </Group>
      {children}
    </Stack>
  );
}

function HasFields({ space, type, criterion, onChange, children }: LinkProps<'has'>) {
  const capabilities = useCapabilities(space);
  const capability = capabilities.data?.get(type);
  const referrers = capability === undefined ? new Map<string, readonly string[]>() : referrersOf(capability);
  const names = referrers.get(criterion.type) ?? [];
  return (
    <Stack gap="xs" flex={1}>
      <Group gap="xs">
        <TypeSelect
          label={resources.referring}
          types={[...referrers.keys()]}
          value={criterion.type}
          onChange={(from) =>
            onChange({
              kind: 'has',
              type: from,
              name: referrers.get(from)?.[0] ?? '',
              of: emptyCriterion(''),
            })
          }
        />
        <Text size="sm">{resources.by}</Text>
        <Select
          aria-label={resources.targetParameter(resources.referring)}
          data={names.includes(criterion.name) || criterion.name === '' ? names : [...names, criterion.name]}
          value={criterion.name === '' ? null : criterion.name}
          onChange={(name) => name !== null && onChange({ ...criterion, name })}
          allowDeselect={false}
          w={150}
        />
        <Text size="sm">{resources.whose}</Text>
        <ParameterSelect
          space={space}
          type={criterion.type}
          label={criterion.type}
          value={criterion.of}
          onChange={(of) => onChange({ ...criterion, of })}
        />
      </Group>
      {children}
    </Stack>
  );
}

function TypeSelect({
  label,
  types,
  value,
  onChange,
}: {
  readonly label: string;
  readonly types: readonly string[];
  readonly value: string;
  readonly onChange: (type: string) => void;
}) {
  return (
    <Select
      aria-label={resources.targetType(label)}
      placeholder={resources.anyTarget}
      data={types.includes(value) || value === '' ? types : [...types, value]}
      value={value === '' ? null : value}
      onChange={(type) => type !== null && onChange(type)}
      searchable
      allowDeselect={false}
      w={170}
    />
  );
}

/** Chooses the search parameter of a type that a link leads to. */
function ParameterSelect({
  space,
  type,
  label,
  value,
  onChange,
}: {
  readonly space: Space;
  readonly type: string;
  readonly label: string;
  readonly value: Criterion;
  readonly onChange: (criterion: Criterion) => void;
}) {
  const capabilities = useCapabilities(space);
  const codes = (capabilities.data?.get(type)?.parameters ?? []).map(({ code }) => code);
  const chosen = value.kind === 'has' ? '' : value.name;
  return (
    <Select
      aria-label={resources.targetParameter(label)}
      placeholder={resources.addCriterionHint}
      data={codes.includes(chosen) || chosen === '' ? codes : [...codes, chosen]}
      value={chosen === '' ? null : chosen}
      onChange={(code) => code !== null && onChange(emptyCriterion(code))}
      searchable
      nothingFoundMessage={resources.noParameter}
      w={170}
    />
  );
}
