/** The types that examples/front-end/codegen.ts gives to the scalars of the schema. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { GraphQLScalarType } from 'graphql';
import settings from '../../examples/front-end/codegen';
import { isSearchKind, searchScalarOf } from '../../src/schema/fhir/search-scalars';
import { primitiveScalar } from '../../src/schema/fhir/primitives';
import {
  jsonScalar,
  parametersInputScalar,
  resourceInputScalar,
  safeIntScalar,
} from '../../src/schema/scalars';

const { scalars } = settings.generates['src/gql/'].config;
const JSON_SCALARS: Readonly<Record<string, GraphQLScalarType>> = {
  JSON: jsonScalar,
  ParametersInput: parametersInputScalar,
  ResourceInput: resourceInputScalar,
  SafeInt: safeIntScalar,
};
const scalarOf = (name: string): GraphQLScalarType =>
  JSON_SCALARS[name] ?? (isSearchKind(name) ? searchScalarOf(name) : primitiveScalar(name));

const patient = { resourceType: 'Patient' };
/** A value of each type that the settings use. */
const VALUES: Readonly<Record<string, unknown>> = {
  string: '2020-01-01T10:30:00Z',
  number: 1,
  boolean: true,
  object: { url: 'http://hl7.org/fhir/ValueSet/administrative-gender' },
  unknown: [patient],
  '{ resourceType: string }': patient,
  '{ resourceType: string; [element: string]: unknown }': { ...patient, active: true },
};

/** The parts of a settings file that say what the types of scalars are, as text. */
function scalarsIn(example: string): readonly (string | undefined)[] {
  const text = readFileSync(path.join(__dirname, '..', '..', 'examples', example, 'codegen.ts'), 'utf8');
  const block = (start: string): string | undefined =>
    /^.*?\n *\},?$/ms.exec(text.slice(text.indexOf(start)))?.[0];
  return [block('strictScalars: true,'), block('hooks: {')];
}

it('the page in examples/patient-chart, which is to be copied, repeats the settings', () => {
  expect(scalarsIn('patient-chart')).toEqual(scalarsIn('front-end'));
  expect(scalarsIn('front-end')).toEqual([
    expect.stringContaining('ResourceInput:'),
    expect.stringContaining('beforeOneFileWrite:'),
  ]);
});

it.each(['r4', 'r4b'])('each scalar of the schema of %s has a type', (release) => {
  const text = readFileSync(path.join(__dirname, '..', '..', 'schema', `${release}.graphql`), 'utf8');
  const names = Array.from(text.matchAll(/^scalar (\w+)/gm), ([, name]) => name);
  expect(names).toContain('ResourceInput');
  expect(Object.keys(scalars).sort()).toEqual(names.sort());
});

it.each(Object.entries(scalars))('the server takes a %s of the type %s', (name, type) => {
  for (const each of type.split(' | ')) {
    expect(Object.keys(VALUES)).toContain(each);
    expect(() => scalarOf(name).parseValue(VALUES[each])).not.toThrow();
  }
});
