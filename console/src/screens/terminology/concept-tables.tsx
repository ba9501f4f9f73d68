/** The properties and designations of a concept, as `$lookup` answers them. */
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { textIn, type AnswerParameter } from '../../fhir/terminology';
import { RecordTable } from '../../layout/record-table';
import { texts } from '../../texts';
import classes from './terminology.module.css';

const { terminology } = texts;

export interface ConceptTableProps {
  readonly parameters: readonly AnswerParameter[];
}

/** `pathOf`: that of the concept that is the value of a property; undefined: it is none. */
export function Properties({
  parameters,
  pathOf,
}: ConceptTableProps & { readonly pathOf?: (property: string, value: string) => string | undefined }) {
  return (
    <RecordTable
      rows={parameters.filter(({ name }) => name === 'property')}
      caption={terminology.properties}
      look={{ verticalSpacing: 4 }}
      minWidth={320}
      keyOf={(_, index) => index}
      columns={[
        { title: terminology.property, cell: ({ parts }) => textIn(parts, 'code') },
        {
          title: terminology.propertyValue,
          cells: { className: classes['words'] ?? '' },
          cell({ parts }) {
            const value = textIn(parts, 'value');
            const path = pathOf?.(textIn(parts, 'code'), value);
            if (path === undefined) return value;
            return (
              <Anchor component={Link} to={path} size="sm">
                {value}
              </Anchor>
            );
          },
        },
        { title: terminology.meaning, cell: ({ parts }) => textIn(parts, 'description') },
      ]}
    />
  );
}

/** Terms by their language. */
export function Designations({ parameters }: ConceptTableProps) {
  const languageOf = ({ parts }: AnswerParameter): string => textIn(parts, 'language');
  return (
    <RecordTable
      rows={parameters
        .filter(({ name }) => name === 'designation')
        .toSorted((one, other) => languageOf(one).localeCompare(languageOf(other)))}
      caption={terminology.designations}
      look={{ verticalSpacing: 4 }}
      minWidth={320}
      keyOf={(_, index) => index}
      columns={[
        {
          title: terminology.designations,
          cell: (row) => <span lang={languageOf(row)}>{textIn(row.parts, 'value')}</span>,
        },
        { title: terminology.language, cell: languageOf },
        { title: terminology.use, cell: ({ parts }) => textIn(parts, 'use') },
      ]}
    />
  );
}
