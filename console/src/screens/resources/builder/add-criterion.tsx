/** Chooses the search parameter of a further criterion. */
import { Select, Text, type ComboboxItem } from '@mantine/core';
import { emptyCriterion } from '../../../fhir/search/search-conditions';
import { useSearchParameters } from '../../../fhir/search/search-definitions';
import type { SearchParameter } from '../../../fhir/search/search-parameters';
import type { Criterion } from '../../../fhir/search/search-query';
import type { Space } from '../../../place';
import { texts } from '../../../texts';

const { resources } = texts;
/** Value of the choice that is no search parameter. */
const HAS = '_has';

export interface AddCriterionProps {
  readonly space: Space;
  readonly type: string;
  readonly onAdd: (criterion: Criterion) => void;
}

export function AddCriterion({ space, type, onAdd }: AddCriterionProps) {
  const { parameters } = useSearchParameters(space, type);
  const byCode = new Map(parameters.map((parameter) => [parameter.code, parameter]));
  const toItem = ({ code }: SearchParameter): ComboboxItem => ({ value: code, label: code });
  return (
    <Select
      aria-label={resources.addCriterion}
      placeholder={resources.addCriterion}
      data={[
        {
          group: resources.parametersOf(type),
          items: parameters.filter(({ code }) => !code.startsWith('_')).map(toItem),
        },
        { group: resources.referencedBy, items: [{ value: HAS, label: resources.referencedBy }] },
        {
          group: resources.parametersOfAll,
          items: parameters.filter(({ code }) => code.startsWith('_')).map(toItem),
        },
      ]}
      renderOption={({ option }) => (
        <Choice
          label={option.label}
          help={
            option.value === HAS
              ? resources.referencedByHint
              : (byCode.get(option.value)?.documentation ?? '')
          }
        />
      )}
      searchable
      // The field stays empty, so that the next criterion can be added.
      value={null}
      onChange={(code) => {
        if (code === null) return;
        const of = emptyCriterion('');
        onAdd(code === HAS ? { kind: 'has', type: '', name: '', of } : emptyCriterion(code));
      }}
      nothingFoundMessage={resources.noParameter}
      maxDropdownHeight={360}
      comboboxProps={{ width: 340, position: 'bottom-start' }}
      w={200}
    />
  );
}

function Choice({ label, help }: { readonly label: string; readonly help: string }) {
  return (
    <div>
      <Text size="sm">{label}</Text>
      <Text size="xs" c="dimmed" lineClamp={2}>
        {help}
      </Text>
    </div>
  );
}
