/**
 * Arguments in the documentation's list of the fields of a type. GraphiQL's own list shows all of them: for Query
 * 450 fields with 30 lines each, which takes seconds. The page of a field has all of its arguments.
 */
import { createElement } from 'react';

const MOST = 5;

/** Shows the arguments of a field in the list, or a placeholder for many. */
export function listedArguments(field) {
  const current = (field.args ?? []).filter(({ deprecationReason }) => !deprecationReason);
  return current.length > MOST ? [{ name: '', count: current.length }] : current;
}

export function Argument({ arg: { name, type, defaultValue, count } }) {
  if (count !== undefined)
    return createElement('span', { className: 'andiron-arguments' }, `${count} arguments`);
  const given = defaultValue === undefined ? '' : ` = ${JSON.stringify(defaultValue)}`;
  return createElement(
    'span',
    null,
    createElement('span', { className: 'graphiql-doc-explorer-argument-name' }, name),
    `: ${type}${given}`,
  );
}
