import { Select } from '@mantine/core';
import type { ReleaseScope } from '../../../api/administration';
import { texts } from '../../../texts';

const { releases } = texts.administration.people;
const SCOPES = ['r4', 'r4b', 'both'] as const;

/** The releases to which ids belong. */
export function ReleaseScopeSelect({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: ReleaseScope;
  readonly onChange: (value: ReleaseScope) => void;
}) {
  return (
    <Select
      label={label}
      data={SCOPES.map((each) => ({ value: each, label: releases[each] }))}
      value={value}
      onChange={(chosen) => onChange(SCOPES.find((each) => each === chosen) ?? value)}
      allowDeselect={false}
    />
  );
}
