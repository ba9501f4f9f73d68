import { GraphQLError } from 'graphql';
import { RawJson } from './raw-json';

/**
 * A long part of a request that stays text until core parses it; JSON scalars accept it unchanged. Inside a variable it
 * may be any long value. A whole variable is one only if it has more members or elements than any type but JSON allows.
 */
export class SentJson extends RawJson {
  /** graphql quotes a value that it refuses; this text avoids a parse. */
  protected override toValue(): string {
    return '(a long value)';
  }

  /** graphql calls this where the type is a list of another type than JSON. */
  [Symbol.iterator](): Iterator<never> {
    const extensions = { code: 'BAD_USER_INPUT', http: { status: 400 } };
    throw new GraphQLError('A list in the variables is too long', { extensions });
  }
}
