/** The parameters of the operation that a path ends with, as a form that writes a Parameters resource. */
import { Button, Collapse, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../api/failure';
import { get } from '../../api/fhir';
import { isObject, objectsOf, toJson } from '../../api/json';
import type { ListedOperation } from '../../fhir/capabilities';
import { useCapabilities, useSystemOperations } from '../../fhir/search/search-definitions';
import { Disclosure } from '../../layout/disclosure';
import type { Space } from '../../place';
import { typeIn } from '../../rest/complete-path';
import {
  readOperation,
  toParameters,
  type Entered,
  type OperationDetails,
  type OperationParameter,
  type ValueFault,
} from '../../rest/parameters';
import { texts } from '../../texts';

const { rest } = texts;

export interface OperationFormProps {
  readonly space: Space;
  readonly path: string;
  /** The JSON of a Parameters resource. */
  readonly onMade: (body: string) => void;
}

/** The operation at the end of a path: `Patient/ann/$everything?_count=5`. */
function codeIn(path: string): string | undefined {
  return /(?:^|\/)\$([a-z][\w-]*)(?:\?|$)/i.exec(path)?.[1];
}

export function OperationForm({ space, path, onMade }: OperationFormProps) {
  const types = useCapabilities(space).data;
  const systemOperations = useSystemOperations(space).data;
  const code = codeIn(path);
  if (types === undefined || systemOperations === undefined || code === undefined) return null;
  const offered = typeIn(path, types)?.operations ?? systemOperations;
  const listed = offered.find(({ name }) => name === code);
  if (listed === undefined) return null;
  const isResource = (type: string): boolean =>
    types.has(type) || ['Resource', 'DomainResource', 'Any'].includes(type);
  return (
    <Loaded key={listed.definition} space={space} listed={listed} isResource={isResource} onMade={onMade} />
  );
}

interface LoadedProps extends Pick<OperationFormProps, 'space' | 'onMade'> {
  readonly listed: ListedOperation;
  readonly isResource: (type: string) => boolean;
}

function Loaded({ space, listed, isResource, onMade }: LoadedProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const operation = useQuery({
    queryKey: ['operation-definition', space, listed.definition],
    queryFn: async ({ signal }) => {
      try {
        const query = `OperationDefinition?url=${encodeURIComponent(listed.definition)}&_count=1`;
        const { value } = await get(space, query, signal);
        const [found] = objectsOf(value['entry']).flatMap(({ resource }) =>
          isObject(resource) ? [resource] : [],
        );
        return found ?? null;
      } catch (error) {
        // Who may not read it writes the parameters by hand.
        if (error instanceof Failure && error.status >= 400 && error.status < 500) return null;
        throw error;
      }
    },
    staleTime: Infinity,
  });
  if (!operation.data) return null;
  return (
    <div>
      <Disclosure label={rest.operation(listed.name)} isOpen={isOpen} onToggle={toggle} />
      <Collapse expanded={isOpen}>
        {isOpen ? <Fields details={readOperation(operation.data, isResource)} onMade={onMade} /> : null}
      </Collapse>
    </div>
  );
}

interface Row extends Entered {
  readonly key: number;
}

function Fields({
  details,
  onMade,
}: {
  readonly details: OperationDetails;
  readonly onMade: (body: string) => void;
}) {
  const { parameters, description } = details;
  const [rows, setRows] = useState<readonly Row[]>(() =>
    parameters.map(({ name }, key) => ({ name, value: '', key })),
  );
  const [faults, setFaults] = useState<ReadonlyMap<string, ValueFault>>(new Map());
  const change = (key: number, value: string): void =>
    setRows(rows.map((row) => (row.key === key ? { ...row, value } : row)));
  const make = (): void => {
    const made = toParameters(parameters, rows);
    if ('faults' in made) return setFaults(new Map(made.faults.map(({ name, fault }) => [name, fault])));
    setFaults(new Map());
    onMade(toJson(made.resource));
  };
  return (
    <Stack gap="sm" p="sm">
      <Text size="sm" c="dimmed">
        {description}
      </Text>
      {parameters.length === 0 ? <Text size="sm">{rest.noParameters}</Text> : null}
      {parameters.map((parameter) => (
        <div key={parameter.name}>
          {rows
            .filter(({ name }) => name === parameter.name)
            .map((row, index) => (
              <Field
                key={row.key}
                parameter={parameter}
                isFirst={index === 0}
                value={row.value}
                fault={faults.get(parameter.name)}
                onChange={(value) => change(row.key, value)}
              />
            ))}
          {parameter.repeats ? (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              c="inherit"
              onClick={() => setRows([...rows, { name: parameter.name, value: '', key: rows.length }])}
            >
              {rest.addValue(parameter.name)}
            </Button>
          ) : null}
        </div>
      ))}
      <Group>
        <Button variant="default" onClick={make}>
          {rest.makeParameters}
        </Button>
        <Text size="xs" c="dimmed">
          {rest.operationHint}
        </Text>
      </Group>
    </Stack>
  );
}

interface FieldProps {
  readonly parameter: OperationParameter;
  readonly isFirst: boolean;
  readonly value: string;
  readonly fault: ValueFault | undefined;
  readonly onChange: (value: string) => void;
}

function Field({ parameter, isFirst, value, fault, onChange }: FieldProps) {
  const { name, type, kind, isRequired, documentation } = parameter;
  const common = {
    label: `${name}: ${type === '' ? rest.jsonOfParts : type}${isRequired && isFirst ? ` (${rest.required})` : ''}`,
    description: isFirst ? documentation : undefined,
    error: fault === undefined ? undefined : rest.valueFaults[fault],
    maw: 640,
  };
  if (kind === 'boolean')
    return (
      <Select
        {...common}
        data={[
          { value: 'true', label: rest.yes },
          { value: 'false', label: rest.no },
        ]}
        value={value === '' ? null : value}
        placeholder={rest.unset}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable
      />
    );
  if (kind === 'text' || kind === 'number')
    return (
      <TextInput {...common} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    );
  return (
    <Textarea
      {...common}
      placeholder={kind === 'parts' ? rest.jsonOfParts : rest.jsonOf(type)}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
    />
  );
}
