/** docs/reference/graphql-schema.md, from the printed schema of R4. */
import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isEnumType, isInputObjectType, isLeafType, isObjectType } from 'graphql';
import { toAnchor } from '../../docs/.vitepress/anchor.mjs';
import { cell, codeCell, table } from './markdown.mjs';

export const file = 'docs/reference/graphql-schema.md';

/** The type by which the page explains the fields that every resource type has. */
const EXAMPLE = 'Patient';

const textOf = ({ description }) => cell(description ?? '');

/** `name(argument: Type)` on one line; `…` stands for the arguments of search parameters. */
function signatureOf({ name, args = [], type }, isSearchParameter = () => false) {
  const shown = args.filter((argument) => !isSearchParameter(argument.name));
  const given = [
    ...(shown.length < args.length ? ['…'] : []),
    ...shown.map((argument) => `${argument.name}: ${String(argument.type)}`),
  ].join(', ');
  return `${name}${given === '' ? '' : `(${given})`}: ${String(type)}`;
}

function describeField(field) {
  const args = field.args.map((argument) => [
    codeCell(argument.name),
    codeCell(String(argument.type)),
    textOf(argument),
  ]);
  return [
    `### ${field.name}`,
    ...(field.description ? [textOf(field)] : []),
    `Returns \`${String(field.type)}\`.`,
    ...(args.length === 0 ? [] : [table(['argument', 'type', 'meaning'], args)]),
  ].join('\n\n');
}

function describeType(type) {
  const head = [`### ${type.name}`, ...(type.description ? [textOf(type)] : [])];
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => [codeCell(value.name), textOf(value)]);
    return [...head, table(['value', 'meaning'], values)].join('\n\n');
  }
  const fields = Object.values(type.getFields()).map((field) => [
    codeCell(signatureOf(field)),
    textOf(field),
  ]);
  return [...head, table(['field', 'meaning'], fields)].join('\n\n');
}

/** Types of the server itself: those that the general root fields take and return, and what these have in turn. */
function ownTypes(schema, fields, isOfFhir) {
  const found = new Map();
  const visit = (type) => {
    const named = getNamedType(type);
    if (found.has(named.name) || isOfFhir(named.name)) return;
    if (isLeafType(named) && !isEnumType(named)) return;
    if (!isObjectType(named) && !isInputObjectType(named) && !isEnumType(named)) return;
    found.set(named.name, named);
    if (isEnumType(named)) return;
    for (const { type: inner, args = [] } of Object.values(named.getFields())) {
      visit(inner);
      for (const argument of args) visit(argument.type);
    }
  };
  for (const { type, args } of fields) {
    visit(type);
    for (const argument of args) visit(argument.type);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Parameters of a search of any type that no SearchParameter defines for the type itself. */
const SPECIAL_PARAMETERS = ['_content', '_filter', '_list', '_text'];

const ENDINGS = new Set(['', 'List', 'Connection', 'Aggregate', 'Create', 'Update', 'Patch', 'Delete']);

/** A field of all types, of a resource type (`PatientList`), or of an operation (`PatientEverything`, `AnyMeta`). */
function kindOfField(name, resourceTypes) {
  const types = resourceTypes.filter((type) => name.startsWith(type));
  if (types.length === 0) return name.startsWith('Any') ? 'operation' : 'general';
  return types.some((type) => ENDINGS.has(name.slice(type.length))) ? 'type' : 'operation';
}

export function toPage(load, root) {
  const schema = buildSchema(readFileSync(`${root}/schema/r4.graphql`, 'utf8'));
  const { loadDefinitions } = load('core/fhir/definitions.js');
  const definitions = loadDefinitions('r4');
  const resourceTypes = definitions.resourceTypes;
  const structures = new Set([...resourceTypes, 'Resource', 'ResourceType']);
  // Elements of a type have names that begin with that of the type: PatientContact, TimingRepeat.
  const isOfFhir = (name) =>
    structures.has(name) ||
    definitions.structure(name) !== undefined ||
    resourceTypes.some((type) => name.startsWith(type) && /^[A-Z]/.test(name.slice(type.length)));

  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const [queries, mutations, subscriptions] = roots.map((type) => Object.values(type.getFields()));
  const kindOf = ({ name }) => kindOfField(name, resourceTypes);
  const isGeneral = (field) => kindOf(field) === 'general';
  const ofExample = [...queries, ...mutations].filter(
    (field) => field.name.startsWith(EXAMPLE) && kindOf(field) === 'type',
  );
  const ofOperations = [...queries, ...mutations].filter((field) => kindOf(field) === 'operation');
  const general = { queries: queries.filter(isGeneral), mutations: mutations.filter(isGeneral) };
  const fields = [...general.queries, ...general.mutations, ...subscriptions];
  const listed = (all) =>
    all.map((field) => [`[\`${field.name}\`](#${toAnchor(field.name)})`, textOf(field)]);
  const directives = schema
    .getDirectives()
    .filter(({ name }) => !['include', 'skip', 'deprecated', 'specifiedBy', 'oneOf'].includes(name))
    .map((directive) => {
      const args = directive.args.map(({ name, type }) => `${name}: ${String(type)}`).join(', ');
      const shown = `@${directive.name}${args === '' ? '' : `(${args})`}`;
      return [codeCell(shown), directive.locations.join(', '), textOf(directive)];
    });
  const rowsOf = (all, type) => {
    const parameters = new Set([...definitions.searchParameters(type).keys(), ...SPECIAL_PARAMETERS]);
    const isParameter = (name) => parameters.has(name) || parameters.has(name.replaceAll('_', '-'));
    return all.map((field) => [codeCell(signatureOf(field, isParameter)), textOf(field)]);
  };

  return `# GraphQL schema

*For developers of clients. Generated from schema/r4.graphql by \`npm run build:docs\`.*

The address is \`/w/{tenant}/api/v1/graphql/{release}\`; how to use it is in [The GraphQL gateway](../use/graphql.md). The whole schema is at
\`/w/{tenant}/api/v1/graphql/{release}/schema.graphql\`, for R4 and R4B. This page leaves out the types of FHIR: each resource type and
each element is an object type with the fields of its definition.

## Fields

${table(['field', 'meaning'], listed(fields))}

## Queries

${general.queries.map(describeField).join('\n\n')}

## Mutations

${general.mutations.map(describeField).join('\n\n')}

## Live queries

${subscriptions.map(describeField).join('\n\n')}

## Fields of each resource type

Every resource type has the fields that ${EXAMPLE} has here; \`…\` stands for its search parameters.

${table(['field', 'meaning'], rowsOf(ofExample, EXAMPLE))}

## Fields of operations

The [operations](operations.md) of FHIR; \`Any\` stands for all resource types.

${table(['field', 'meaning'], rowsOf(ofOperations, 'Observation'))}

## Directives

${table(['directive', 'place', 'meaning'], directives)}

## Types

The types of the server itself; \`!\` marks what is never null.

${ownTypes(schema, fields, isOfFhir).map(describeType).join('\n\n')}
`;
}
