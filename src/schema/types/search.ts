import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { resourceTypePlaceholder } from '../scalars';
import { PageInfo } from './paging';
import { Resource } from './resource';

export const TotalMode = { NONE: 'none', ESTIMATE: 'estimate', ACCURATE: 'accurate' } as const;
export type TotalMode = (typeof TotalMode)[keyof typeof TotalMode];
registerEnumType(TotalMode, {
  name: 'TotalMode',
  description: 'The way in which matches are counted (http://hl7.org/fhir/search.html#total).',
});

export const SearchEntryMode = { MATCH: 'match', INCLUDE: 'include' } as const;
export type SearchEntryMode = (typeof SearchEntryMode)[keyof typeof SearchEntryMode];
registerEnumType(SearchEntryMode, {
  name: 'SearchEntryMode',
  description: 'The reason why a resource is in the result of a search.',
});

@InputType({ description: 'One search parameter, as in the query string of REST but not percent-encoded.' })
export class SearchParameterInput {
  @Field(() => String, { description: 'With modifier and chain: `name:exact`, `subject:Patient.name`.' })
  name!: string;

  @Field(() => String, { description: 'With prefix; commas mean OR: `ge2020-01-01`, `male,female`.' })
  value!: string;
}

@InputType({
  description:
    'The compartment of a resource (http://hl7.org/fhir/compartmentdefinition.html): the resource and those that refer to it.',
})
export class CompartmentInput {
  @Field(() => resourceTypePlaceholder, {
    description: 'Patient, Encounter, RelatedPerson, Practitioner or Device.',
  })
  type!: string;

  @Field(() => ID, { description: 'The resource need not exist.' })
  id!: string;
}

@ObjectType({ description: 'A problem that did not make the request fail.' })
export class Issue {
  @Field(() => String)
  severity!: string;

  @Field(() => String, { description: 'A code of http://hl7.org/fhir/issue-type' })
  code!: string;

  @Field(() => String)
  diagnostics!: string;

  @Field(() => String, { nullable: true })
  expression?: string;
}

@ObjectType()
export class SearchEdge {
  @Field(() => SearchEntryMode)
  mode!: SearchEntryMode;

  @Field(() => String, {
    nullable: true,
    description:
      'The `after` of a page that begins after this match; null for included resources. Opaque, and valid only for this query.',
  })
  cursor?: string;

  @Field(() => Resource)
  node!: Resource;
}

@ObjectType({ description: 'One page of a search.' })
export class SearchResult {
  @Field(() => [SearchEdge], { description: 'The matches in order, then the included resources.' })
  edges!: SearchEdge[];

  @Field(() => [Resource], { description: 'The matches alone.' })
  resources!: Resource[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of all matches; counted only when this field is selected.',
  })
  total?: number;

  @Field(() => [Issue], { description: 'Ignored parameters and incomplete results.' })
  issues!: Issue[];
}
