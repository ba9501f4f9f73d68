/** Random values to search for: mostly such as the data have, bent a little. */
import { digitsOf, isObject, textOf, type JsonObject, type Resource } from './json';
import { withHierarchies } from './hierarchy';
import { CONCEPTS, DATES, NUMBERS, UNIT_POOL, URIS } from './generate-values';
import type { Parameter } from './parameters';
import { escaped } from './query-text';
import type { Random } from './random';
import { referenceText, targetOf } from './reference';
import { allowedTargets, isCanonical } from './reference-search';
import { makeWords } from './generate-words';
import type { Space } from './space';
import { textsOfElement } from './string';
import { tokensOf, tokenTextsOf } from './token';
import { readCanonical } from './uri';
import { UCUM } from './units';
import { elementsOf, type Element } from './values';

export interface Focus {
  readonly space: Space;
  readonly random: Random;
  readonly type: string;
  readonly parameter: Parameter;
  /** If it has values of the parameter, only they are used. */
  readonly focus?: JsonObject | undefined;
}

const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'];
const prefixOf = (random: Random): string => (random.chance(0.3) ? '' : random.pick(PREFIXES));

/** The elements of the parameter in all resources of the type. */
function elementsOfType(space: Space, type: string, parameter: Parameter): Element[] {
  const resources: readonly Resource[] = space.resources;
  return resources
    .filter(({ resourceType }) => resourceType === type)
    .flatMap((resource) => elementsOf(resource, parameter));
}

/** Those of the resource in focus, where it has some; else those of all resources of the type. */
export function storedElements({ space, type, parameter, focus }: Focus): readonly Element[] {
  const own = focus === undefined ? [] : elementsOf(focus, parameter);
  return own.length > 0 ? own : elementsOfType(space, type, parameter);
}

const pickOr = <T>(random: Random, of: readonly T[], otherwise: T): T =>
  of.length > 0 ? random.pick(of) : otherwise;

const caseSwapped = (text: string): string =>
  text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();

/** A piece of a text that may be searched for: never one of punctuation alone. */
function pieceOf(random: Random, text: string, fromStart: boolean): string {
  const start = fromStart || text.length < 2 ? 0 : random.below(text.length - 1);
  const length = random.chance(0.3) ? text.length : 1 + random.below(Math.min(12, text.length));
  const piece = text.slice(start, start + length).trim();
  return /[\p{L}\p{N}]/u.test(piece) ? piece : 'a';
}

function stringValue(criterionFocus: Focus, modifier: string): string {
  const { random } = criterionFocus;
  const texts = storedElements(criterionFocus).flatMap(({ type, value }) =>
    textsOfElement(type, value, false).map(({ text }) => text),
  );
  const text = random.chance(0.05) ? 'zzz' : pickOr(random, texts, 'none');
  if (modifier === 'exact') return escaped(random.chance(0.7) ? text : caseSwapped(text));
  const words = text.split(' ');
  const fromWord = random.chance(0.3) ? words.slice(random.below(words.length)).join(' ') : text;
  const piece = pieceOf(random, fromWord, modifier !== 'contains');
  if (modifier === 'text') return makeWords(random, texts.length > 0 ? random.several(texts, 2) : ['none']);
  const single = piece;
  const plain = random.chance(0.4) ? single.normalize('NFD').replace(/\p{M}/gu, '') : single;
  return escaped(random.chance(0.3) ? caseSwapped(plain) : plain);
}

function tokenValue(criterionFocus: Focus, modifier: string): string {
  const { random, parameter } = criterionFocus;
  const elements = storedElements(criterionFocus);
  if (modifier === 'in' || modifier === 'not-in') {
    if (parameter.code === 'gender') return 'http://hl7.org/fhir/ValueSet/administrative-gender';
    const id = random.pick(['listed', 'below-branch', 'mixed']);
    return random.pick([`http://andiron.example/ValueSet/${id}`, `ValueSet/${id}`]);
  }
  if (modifier === 'text') {
    const texts = elements.flatMap(tokenTextsOf).flatMap((text) => text.split(/[ ,]+/));
    const words = random.several(texts.length > 0 ? texts : ['none'], random.chance(0.3) ? 2 : 1);
    return words.map((word) => pieceOf(random, word, true)).join(' ');
  }
  if (modifier === 'above' || modifier === 'below') {
    return `${CONCEPTS.anatomySystem}|${random.pick(CONCEPTS.anatomy)}`;
  }
  if (modifier === 'of-type') {
    return `http://terminology.hl7.org/CodeSystem/v2-0203|${random.pick(['MR', 'SS', 'ZZ'])}|${escaped(random.pick(['123', '124', 'ab1', '1|2']))}`;
  }
  const tokens = elements.flatMap(tokensOf).filter(({ code }) => code !== undefined);
  const token = pickOr(random, tokens, { system: undefined, code: 'none', isExact: true });
  const code = escaped(token.code ?? '');
  const forms = [code, code, code, caseSwapped(code), 'zzz'];
  const hasSystem = parameter.paths.some(
    ({ type, system }) => system !== undefined || ['Coding', 'CodeableConcept', 'Identifier'].includes(type),
  );
  if (hasSystem) {
    const system = escaped(token.system ?? '');
    forms.push(`${system}|${code}`, `${system}|${code}`, `|${code}`, `urn:other|${code}`);
    if (system !== '') forms.push(`${system}|`, `${system}|${caseSwapped(code)}`);
  }
  return random.pick(forms);
}

const SEARCH_DATES = [
  ...DATES,
  '2018',
  '2020-03',
  '2020-03-01T10:00',
  '2020-03-01T10:00Z',
  '2020-03-01T10:00:00',
  '2020-03-01T11:00:00Z',
  '2022',
];

function dateValue(criterionFocus: Focus): string {
  const { random, parameter } = criterionFocus;
  const texts = storedElements(criterionFocus).flatMap(({ value }) => textOf(value) ?? []);
  if (parameter.code === '_lastUpdated') {
    const text = pickOr(random, texts, '2020');
    return (
      prefixOf(random).replace('ap', 'ge') +
      random.pick([text, text.slice(0, 10), text.slice(0, 19) + 'Z', '2020'])
    );
  }
  const stored = texts.length > 0 && random.chance(0.3) ? random.pick(texts) : random.pick(SEARCH_DATES);
  return prefixOf(random) + stored;
}

const SEARCH_NUMBERS = [
  ...NUMBERS,
  '1e2',
  '5.4e0',
  '5.40e-3',
  '-5.4',
  '100.0',
  '10',
  '2.54',
  '1',
  '0.0054',
  '5400',
  '37.8',
  '1000',
];

function numberValue(criterionFocus: Focus): string {
  const { random } = criterionFocus;
  const stored = storedElements(criterionFocus).flatMap(({ value }) => digitsOf(value) ?? []);
  return prefixOf(random) + (random.chance(0.3) ? pickOr(random, stored, '1') : random.pick(SEARCH_NUMBERS));
}

function quantityValue(criterionFocus: Focus, conversion: boolean): string {
  const { random } = criterionFocus;
  const stored = storedElements(criterionFocus)
    .map(({ value }) => value)
    .filter(isObject);
  const quantity: JsonObject = random.chance(0.4) ? pickOr(random, stored, {}) : {};
  const number = prefixOf(random) + (digitsOf(quantity['value']) ?? random.pick(SEARCH_NUMBERS));
  const code = textOf(quantity['code']) ?? random.pick(UNIT_POOL);
  if (conversion) return `${number}|${UCUM}|${code}`;
  return random.pick([number, `${number}||${code}`, `${number}||milligram`, `${number}|urn:units|${code}`]);
}

/** @param modifier '', a type, 'identifier', 'below', 'above', or 'id' for the id of a canonical resource */
function referenceValue(criterionFocus: Focus, modifier: string): string {
  const { space, random, parameter } = criterionFocus;
  const values = storedElements(criterionFocus).map(({ value }) => value);
  if (modifier === 'identifier')
    return random.pick(['123', 'urn:mrn|123', '|124', 'urn:ssn|', 'ab1', 'urn:mrn|1\\|2']);
  const texts = values.flatMap((value) => referenceText(value) ?? []).filter((text) => !text.startsWith('#'));
  const text = random.chance(0.1) ? 'Patient/unknown' : pickOr(random, texts, 'Patient/unknown');
  if (isCanonical(parameter)) {
    const { url, version } = readCanonical(text);
    if (modifier === 'below') return `${url}|${random.pick(['1', '1.2', '2', version ?? '1'])}`;
    if (modifier === 'id') {
      const id = random.pick(
        space.resources.filter(({ resourceType }) => resourceType === 'Questionnaire'),
      ).id;
      return random.pick([id, `Questionnaire/${id}`]);
    }
    return random.pick([text, url, `${url}|1.0`]);
  }
  if (modifier === 'above' || modifier === 'below') {
    const wanted = random.pick(withHierarchies(allowedTargets(space, criterionFocus.type, parameter)));
    const members = space.resources.filter(({ resourceType }) => resourceType === wanted).map(({ id }) => id);
    const id = random.chance(0.1) ? 'unknown' : random.pick(members);
    return random.pick([`${wanted}/${id}`, `${wanted}/${id}`, `${space.root}/${wanted}/${id}`, id]);
  }
  const target = targetOf(text, space.root);
  if (target === undefined) return modifier === '' ? text : 'unknown';
  if (modifier !== '') return target.id;
  const literal = `${target.type}/${target.id}`;
  return random.pick([literal, literal, literal, target.id, `${space.root}/${literal}`]);
}

function uriValue(criterionFocus: Focus, modifier: string): string {
  const { random } = criterionFocus;
  const texts = storedElements(criterionFocus).flatMap(({ value }) => textOf(value) ?? []);
  const text = escaped(pickOr(random, texts, 'urn:none'));
  const pool = [text, text, ...URIS, caseSwapped(text)];
  if (modifier === 'contains') return random.pick(['acme', 'fhir/o', 'ONE', '1.2', 'source.example']);
  if (modifier === 'above')
    return random.pick([...pool, `${text}/more`, 'http://acme.org/fhir/one/two/three']);
  return random.pick(pool);
}

/** @param modifier as in the name of the parameter; for a quantity 'ucum' asks for a value with system and code,
 * for a canonical 'id' for the id of the resource
 */
export function makeSearchValue(criterionFocus: Focus, modifier: string): string {
  switch (criterionFocus.parameter.kind) {
    case 'string':
      return stringValue(criterionFocus, modifier);
    case 'token':
      return modifier === 'below' && criterionFocus.parameter.code === 'contenttype'
        ? criterionFocus.random.pick([
            'text/plain',
            'application/pdf',
            'text/plain; charset=UTF-8',
            'text',
            'application',
          ])
        : tokenValue(criterionFocus, modifier);
    case 'date':
      return dateValue(criterionFocus);
    case 'number':
      return numberValue(criterionFocus);
    case 'quantity':
      return quantityValue(criterionFocus, modifier === 'ucum');
    case 'reference':
      return referenceValue(criterionFocus, modifier);
    case 'uri':
      return uriValue(criterionFocus, modifier);
    case 'special':
      return criterionFocus.random.pick([
        '-83.694810|42.256500|11.20|km',
        '55.676|12.568|20',
        '55.676|12.568',
        '10.0|180|30|km',
        '55.6|12.4|1000|m',
        '0|0|20000|km',
      ]);
    case 'composite':
      throw new Error('a composite is made of its components');
  }
}
