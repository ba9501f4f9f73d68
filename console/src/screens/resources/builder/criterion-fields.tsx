/** The inputs of one criterion: its condition and values, or the condition on what it refers to. */
import { Group, Select, TextInput } from '@mantine/core';
import { humanize } from '../../../fhir/humanize';
import { conditionsOf, toEditable, withCondition } from '../../../fhir/search/search-conditions';
import { useSearchParameters } from '../../../fhir/search/search-definitions';
import type { SearchParameter } from '../../../fhir/search/search-parameters';
import { keyOf, type Criterion } from '../../../fhir/search/search-query';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { LinkFields, type Link } from './link-fields';
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
  if (criterion.kind !== 'value')
    return (
      <LinkFields {...props} criterion={criterion}>
        <LinkedFields space={space} link={criterion} onChange={onChange} />
      </LinkFields>
    );
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

/** The condition on the other record, once its parameter is chosen. */
function LinkedFields({
  space,
  link,
  onChange,
}: Pick<CriterionFieldsProps, 'space' | 'onChange'> & { readonly link: Link }) {
  const { of } = link;
  if (of.kind === 'value' && of.name === '') return null;
  return (
    <CriterionFields
      space={space}
      type={link.kind === 'chain' ? link.target : link.type}
      criterion={of}
      onChange={(changed) => onChange({ ...link, of: changed })}
    />
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
      w={{ base: 140, xs: 190 }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}

/** A modifier that is the name of a type stays as it is. */
function labelOf(condition: string): string {
  const labels: Readonly<Record<string, string>> = resources.conditions;
  return labels[condition] ?? condition;
}
