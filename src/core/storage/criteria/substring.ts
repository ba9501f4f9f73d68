import { sql, type RawBuilder } from 'kysely';
import type { ValueReference } from '../predicate-parts';
import { isAmong, type CompiledPredicate } from './compiled';
import { SPACE } from './head';

/** By the trigram index, which only a function of the owner may use under row-level security. */
export function compileSubstring(parameter: number, text: string, prefix: string): CompiledPredicate {
  const [parameterName, pattern] = [`${prefix}parameter`, `${prefix}pattern`];
  const keys = (value: ValueReference): RawBuilder<unknown> => sql`
    select t.resource_key
    from andiron.strings_containing(${SPACE}, ${value(parameterName)}::int, ${value(pattern)}::text)
      as t (resource_key)`;
  return {
    shape: 'sub',
    values: [
      { name: parameterName, type: 'int', value: parameter },
      { name: pattern, type: 'text', value: `%${text.replace(/[\\%_]/g, '\\$&')}%` },
    ],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}
