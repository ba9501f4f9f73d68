import { GraphQLEnumType, Kind, type ValueNode } from 'graphql';

/** An enum that also accepts its names as strings. HL7's examples write `_reference: patient`. */
export class NamedEnum extends GraphQLEnumType {
  override parseLiteral(node: ValueNode): unknown {
    return super.parseLiteral(
      node.kind === Kind.STRING ? { kind: Kind.ENUM, value: node.value, loc: node.loc } : node,
      null,
    );
  }
}
