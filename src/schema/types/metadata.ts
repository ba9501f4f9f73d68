import { Field, ObjectType } from 'type-graphql';
import type { RawJson } from '../raw-json';
import { jsonScalar } from '../scalars';

@ObjectType({ description: 'The capabilities of this server in this FHIR release.' })
export class Metadata {
  @Field(() => String, { description: 'The exact version of the FHIR specification: `4.0.1`.' })
  fhirVersion!: string;

  @Field(() => [String], { description: 'The resource types of this release.' })
  resourceTypes!: readonly string[];

  @Field(() => jsonScalar, { description: 'The CapabilityStatement.' })
  json!: RawJson;
}
