/**
 * The parts of the schemas of administration. `expects` says in an error what a value must be, where the other keywords do
 * not say it clearly; the OpenAPI document leaves it out.
 */
import { Type, type SchemaOptions, type Static, type TProperties, type TSchema } from '@sinclair/typebox';
import { RELEASE_NAMES, type ReleaseScope } from '../../core';

/** The type of the values of a schema. */
export type Value<Schema extends TSchema> = Unchanging<Static<Schema>>;
type Unchanging<Given> = Given extends readonly (infer Each)[]
  ? readonly Unchanging<Each>[]
  : Given extends object
    ? { readonly [Name in keyof Given]: Unchanging<Given[Name]> }
    : Given;

/** An object without other members than these. */
export const object = <Members extends TProperties>(members: Members, options: SchemaOptions = {}) =>
  Type.Object(members, { additionalProperties: false, ...options });
export const optional = <Members extends TProperties>(members: Members) =>
  Type.Partial(Type.Object(members)).properties;
export const text = (description?: string, expects?: string) => Type.String({ description, expects });
export const flag = (description: string) => Type.Boolean({ description });
export const count = (description?: string) => Type.Integer({ minimum: 0, description });
export const listOf = <Item extends TSchema>(items: Item, description?: string) =>
  Type.Array(items, { description });
export const texts = (description?: string) => listOf(text(), description);
export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const oneOf = <const Word extends string>(values: readonly Word[], description?: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: values, description });
export const mapOf = <Item extends TSchema>(items: Item, description?: string, expects?: string) =>
  Type.Unsafe<Record<string, Static<Item>>>({
    type: 'object',
    additionalProperties: items,
    description,
    expects,
  });
export const instant = (description?: string) => Type.String({ format: 'date-time', description });
export const release = (description: string) => oneOf(RELEASE_NAMES, description);
export const releaseScope = (description: string) =>
  oneOf<ReleaseScope>([...RELEASE_NAMES, 'both'], description);
export const RELEASE = release('FHIR release');
export const RELEASE_OF_QUERY = release(
  'FHIR release; by default that of the package in a file, and of others r4',
);
