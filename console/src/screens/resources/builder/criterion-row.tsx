/** One criterion with its name, and a button that removes it. */
import { ActionIcon, Box, Group, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '../../../layout/icons/icons';
import { humanize } from '../../../fhir/humanize';
import { useSearchParameters } from '../../../fhir/search/search-definitions';
import { keyOf, type Criterion } from '../../../fhir/search/search-query';
import { texts } from '../../../texts';
import classes from './builder.module.css';
import { CriterionFields, type CriterionFieldsProps } from './criterion-fields';

const { resources } = texts;

export function CriterionRow({
  onRemove,
  ...props
}: CriterionFieldsProps & {
  /** Undefined: this one always stays. */
  readonly onRemove: (() => void) | undefined;
}) {
  const { space, type, criterion } = props;
  const { parameters } = useSearchParameters(space, type);
  const parameter =
    criterion.kind === 'has' ? undefined : parameters.find(({ code }) => code === criterion.name);
  const documentation = parameter?.documentation ?? '';
  const label = labelOf(criterion, parameter !== undefined);
  return (
    <Group className={classes['row'] ?? ''} gap="sm" align="start" role="group" aria-label={label}>
      <Tooltip label={documentation} disabled={documentation === ''} multiline maw={360} position="top-start">
        <Box className={classes['name'] ?? ''}>
          <Text size="sm" fw={500} truncate>
            {label}
          </Text>
        </Box>
      </Tooltip>
      <CriterionFields {...props} />
      {onRemove === undefined ? null : (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={resources.removeCriterion(label)}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

/** What no parameter is known for is named as in the address. */
function labelOf(criterion: Criterion, isKnown: boolean): string {
  if (criterion.kind === 'has') return resources.referring;
  return isKnown ? humanize(criterion.name) : keyOf(criterion);
}
