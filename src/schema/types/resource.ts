/** A resource as the gateway shows it. The names are HL7's (http://hl7.org/fhir/R4/graphql.html); `json` is ours. */
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { isJsonObject, type Json, type JsonObject } from '../json';
import { RawJson } from '../raw-json';
import { canonicalScalar, codeScalar, instantScalar, jsonScalar, uriScalar } from '../scalars';

/**
 * What a `Resource` is made of. The server's part of meta is known without reading the text, so that a query for
 * versions and dates parses nothing.
 */
export interface ResourceSource {
  readonly resourceType: string;
  readonly id?: string;
  readonly versionId?: string;
  /** As in `meta.lastUpdated`. */
  readonly lastUpdated?: string;
  readonly versionSequence?: number;
  /** The whole resource as JSON text. */
  readonly text: string;
  /** `meta` of the text, {} when there is none. Parses at most once. */
  readonly meta: JsonObject;
  /** Who made the version; undefined for a resource that is not stored. */
  readonly author?: JsonObject;
}

function list(value: Json | undefined): Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

@ObjectType({ description: 'A code of a code system (http://hl7.org/fhir/datatypes.html#Coding).' })
export class Coding {
  @Field(() => uriScalar, { nullable: true })
  system?: string;

  @Field(() => String, { nullable: true })
  version?: string;

  @Field(() => codeScalar, { nullable: true })
  code?: string;

  @Field(() => String, { nullable: true })
  display?: string;

  @Field(() => Boolean, { nullable: true })
  userSelected?: boolean;
}

@ObjectType({ description: 'A reference to another resource (http://hl7.org/fhir/references.html).' })
export class Reference {
  @Field(() => String, { nullable: true })
  reference?: string;

  @Field(() => uriScalar, { nullable: true })
  type?: string;

  @Field(() => String, { nullable: true })
  display?: string;
}

@ObjectType({ description: 'What is known about a resource and its version (http://hl7.org/fhir/resource.html#Meta).' })
export class Meta {
  constructor(private readonly origin: ResourceSource) {}

  @Field(() => ID, { nullable: true, description: 'Give it as `ifVersion` to change exactly this version.' })
  get versionId(): string | undefined {
    return this.origin.versionId ?? text(this.origin.meta.versionId);
  }

  @Field(() => instantScalar, { nullable: true })
  get lastUpdated(): string | undefined {
    return this.origin.lastUpdated ?? text(this.origin.meta.lastUpdated);
  }

  @Field(() => Int, { nullable: true, description: 'The number of this change among all changes of the tenant, increasing.' })
  get versionSequence(): number | undefined {
    return this.origin.versionSequence;
  }

  @Field(() => Reference, { nullable: true, description: 'The client application that made this version.' })
  get author(): JsonObject | undefined {
    return this.origin.author;
  }

  @Field(() => uriScalar, { nullable: true })
  get source(): string | undefined {
    return text(this.origin.meta.source);
  }

  @Field(() => [canonicalScalar], { nullable: true })
  get profile(): Json[] | undefined {
    return list(this.origin.meta.profile);
  }

  @Field(() => [Coding], { nullable: true })
  get security(): Json[] | undefined {
    return list(this.origin.meta.security)?.filter(isJsonObject);
  }

  @Field(() => [Coding], { nullable: true })
  get tag(): Json[] | undefined {
    return list(this.origin.meta.tag)?.filter(isJsonObject);
  }
}

@ObjectType({ description: 'A FHIR resource.' })
export class Resource {
  constructor(private readonly origin: ResourceSource) {}

  @Field(() => String)
  get resourceType(): string {
    return this.origin.resourceType;
  }

  @Field(() => ID, { nullable: true, description: 'Absent on what is not stored: the result of an operation.' })
  get id(): string | undefined {
    return this.origin.id;
  }

  @Field(() => Meta, { nullable: true })
  get meta(): Meta {
    return new Meta(this.origin);
  }

  @Field(() => jsonScalar, { description: 'The whole resource as FHIR JSON, exactly as REST answers it.' })
  get json(): RawJson {
    return new RawJson(this.origin.text);
  }
}
