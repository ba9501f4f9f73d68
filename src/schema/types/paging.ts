import { Field, ObjectType } from 'type-graphql';

/** The bounds of a page, which begins after the cursor `after`. */
export interface PageBounds {
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** The cursor in the request of the page. */
  readonly after: string | null | undefined;
  /** Cursor of the first match, if requested. */
  readonly first?: string | undefined;
}

@ObjectType({ description: 'The bounds of a page.' })
export class PageInfo {
  @Field(() => Boolean)
  readonly hasNextPage: boolean;

  @Field(() => Boolean, {
    description: 'True: the page was requested with `after`, so that there are others before it.',
  })
  readonly hasPreviousPage: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the first match; null where there is none, and for versions.',
  })
  readonly startCursor?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'The `after` of the next page; null on the last one. Opaque, and valid only for this query.',
  })
  readonly endCursor?: string | undefined;

  constructor({ next, after, first }: PageBounds) {
    this.hasNextPage = next !== undefined;
    this.hasPreviousPage = typeof after === 'string';
    this.startCursor = first;
    this.endCursor = next;
  }
}
