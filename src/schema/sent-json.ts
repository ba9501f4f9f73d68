import { GraphQLError } from 'graphql';
import { RawJson } from './raw-json';

/**
 * A long part of a request, which stays text on its way to core: JSON scalars take it as it is. Below the root of a
 * variable it may be anything long; as a whole variable it has more members or elements than anything but JSON may have.
 */
export class SentJson extends RawJson {
  /** graphql quotes a value that it refuses: that shall not cost a parse. */
  protected override toValue(): string {
    return '(a long value)';
  }

  /** graphql asks for it where the type is a list of something else than JSON. */
  [Symbol.iterator](): Iterator<never> {
    const extensions = { code: 'BAD_USER_INPUT', http: { status: 400 } };
    throw new GraphQLError('A list in the variables is too long', { extensions });
  }
}
