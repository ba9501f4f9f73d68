/** The alternative values of a criterion. */
import { ActionIcon, Button, Select, Stack } from '@mantine/core';
import { IconPlus, IconX } from '../../../layout/icons/icons';
import { humanize } from '../../../fhir/humanize';
import type { ValueCriterion } from '../../../fhir/search/search-conditions';
import type { SearchParameter } from '../../../fhir/search/search-parameters';
import type { Criterion } from '../../../fhir/search/search-query';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import classes from './builder.module.css';
import { ValueInput } from './value-input';

const { resources } = texts;

export interface ValuesProps {
  readonly space: Space;
  readonly type: string;
  readonly parameter: SearchParameter;
  readonly criterion: ValueCriterion;
  readonly onChange: (criterion: Criterion) => void;
}

export function Values({ space, type, parameter, criterion, onChange }: ValuesProps) {
  const label = humanize(parameter.code);
  const { values, modifier } = criterion;
  if (modifier === 'missing') {
    return (
      <Select
        aria-label={resources.value(label)}
        data={[
          { value: 'false', label: resources.has },
          { value: 'true', label: resources.hasNot },
        ]}
        value={values[0] === 'false' ? 'false' : 'true'}
        onChange={(value) => onChange({ ...criterion, values: [value ?? 'true'] })}
        allowDeselect={false}
        w={170}
      />
    );
  }
  const setValue = (index: number, value: string): void =>
    onChange({ ...criterion, values: values.map((each, at) => (at === index ? value : each)) });
  return (
    <Stack gap={6} flex={1} miw={{ base: 150, xs: 200 }}>
      {values.map((value, index) => (
        // Values have no identity but their place.
        <div key={index} className={classes['value']}>
          <ValueInput
            space={space}
            type={type}
            parameter={parameter}
            modifier={modifier}
            value={value}
            onChange={(changed) => setValue(index, changed)}
          />
          {values.length > 1 ? (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={resources.removeValue(label)}
              onClick={() => onChange({ ...criterion, values: values.filter((_, at) => at !== index) })}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          ) : null}
          {index === values.length - 1 && value !== '' ? (
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<IconPlus size={12} aria-hidden />}
              aria-label={resources.addValue(label)}
              onClick={() => onChange({ ...criterion, values: [...values, ''] })}
            >
              {resources.or}
            </Button>
          ) : null}
        </div>
      ))}
    </Stack>
  );
}
