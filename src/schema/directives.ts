/**
 * The directives of HL7's binding that change the form of a response (http://hl7.org/fhir/R4/graphql.html#flattening).
 * src/gateway/shaping executes them.
 */
import { DirectiveLocation, GraphQLDirective, GraphQLNonNull, GraphQLString } from 'graphql';

const locations = [DirectiveLocation.FIELD];

export const flattenDirective = new GraphQLDirective({
  name: 'flatten',
  locations,
  description:
    'The field itself is left out: its selections take its place, as lists where the field repeats.',
});

export const firstDirective = new GraphQLDirective({
  name: 'first',
  locations,
  description: 'Only the first element of a list; it is still a list.',
});

export const singletonDirective = new GraphQLDirective({
  name: 'singleton',
  locations,
  description: 'One value in place of a list, below @flatten for instance; more than one value is an error.',
});

export const sliceDirective = new GraphQLDirective({
  name: 'slice',
  locations,
  description:
    'Each element of a list gets a name of its own: the name of the field, a full stop and the value of `path` for the ' +
    'element. Below @flatten the names of the inner fields are extended.',
  args: {
    path: {
      type: new GraphQLNonNull(GraphQLString),
      description:
        'The position (`$index`), or FHIRPath on each element (`use`, `code.text`, `given.first()`).',
    },
  },
});

export const SHAPING_DIRECTIVES: readonly GraphQLDirective[] = [
  flattenDirective,
  firstDirective,
  singletonDirective,
  sliceDirective,
];
