/** The inputs of one criterion: its condition and values, or the condition on what it refers to. */
import { Group, Select, TextInput } from '@mantine/core';
import { humanize } from '../../../fhir/humanize';
import { conditionsOf, emptyCriterion, toEditable, withCondition } from '../../../fhir/search-conditions';
import { useCapabilities, useSearchParameters } from '../../../fhir/search-definitions';
import type { SearchParameter } from '../../../fhir/search-parameters';
import { keyOf, type Criterion } from '../../../fhir/search-query';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { LinkFields } from './link-fields';
import { Values } from './values';

const { resources } = texts;

export interface CriterionFieldsProps {
  readonly space: Space;
  /** The type that the criterion is about. */
  readonly type: string;
  readonly criterion: Criterion;
  readonly onChange: (criterion: Criterion) => void;
}

export function CriterionFields(props: CriterionFieldsProps) {
  const { space, type, criterion, onChange } = props;
  const { parameters, isPending } = useSearchParameters(space, type);
  if (criterion.kind !== 'value') return <LinkFields {...props} criterion={criterion} />;
  const parameter = parameters.find(({ code }) => code === criterion.name);
  const editable = parameter === undefined ? undefined : toEditable(criterion, parameter);
  if (parameter === undefined || editable === undefined) {
    if (isPending) return null;
    return (
      <TextInput
        aria-label={resources.value(keyOf(criterion))}
        description={resources.asWritten}
        inputWrapperOrder={['input', 'description']}
        flex={1}
        miw={160}
        value={criterion.values.join(',')}
        onChange={(event) => onChange({ ...criterion, values: [event.currentTarget.value] })}
      />
    );
  }
  const label = humanize(parameter.code);
  return (
    <Group gap="xs" align="start" flex={1}>
      <ConditionSelect
        label={label}
        parameter={parameter}
        value={editable.modifier}
        onChange={(condition) => onChange(withCondition(editable, parameter, condition))}
      />
      <Values space={space} type={type} parameter={parameter} criterion={editable} onChange={onChange} />
    </Group>
  );
}

function ConditionSelect({
  label,
  parameter,
  value,
  onChange,
}: {
  readonly label: string;
  readonly parameter: SearchParameter;
  readonly value: string;
  readonly onChange: (condition: string) => void;
}) {
  const conditions = conditionsOf(parameter);
  const all = conditions.includes(value) ? conditions : [...conditions, value];
  return (
    <Select
      aria-label={resources.condition(label)}
      data={all.map((condition) => ({
        value: condition,
        label: labelOf(condition === '' ? parameter.type : condition),
      }))}
      value={value}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
      allowDeselect={false}
      w={{ base: 124, xs: 190 }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}

/** A modifier that is the name of a type stays as it is. */
function labelOf(condition: string): string {
  const labels: Readonly<Record<string, string>> = resources.conditions;
  return labels[condition] ?? condition;
}

/** Chooses the search parameter of a type that a link leads to. */
export function ParameterSelect({
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
