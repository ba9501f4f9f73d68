import { Field, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Where a page ends.' })
export class PageInfo {
  @Field(() => Boolean)
  readonly hasNextPage: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Give it as `after` to get the next page; null on the last one. Opaque, and bound to this query.',
  })
  readonly endCursor?: string;

  constructor(next: string | undefined) {
    this.hasNextPage = next !== undefined;
    this.endCursor = next;
  }
}
