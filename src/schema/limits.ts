/**
 * Limits of a document before it runs. `measureText` reads the tokens of the text, so that a hostile document is
 * refused before graphql's validation, which is quadratic in places. `limitRule` measures the effect of fragments.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  type ValidationContext,
} from 'graphql';

export interface DocumentLimits {
  /** Characters of the document's text, which is read when it arrives; variables do not count. */
  readonly characters: number;
  /** Lexical tokens of the document. */
  readonly tokens: number;
  /** Nested braces and brackets in the text, values included. */
  readonly nesting: number;
  /** Uses of one name: validation compares each field with all others of its name. */
  readonly sameName: number;
  readonly aliases: number;
  /** Uses of fragments, named or not. */
  readonly spreads: number;
  readonly directives: number;
  /** Levels of fields, with fragments expanded. */
  readonly depth: number;
  /** Fields, with fragments expanded. */
  readonly fields: number;
  /** Fields of the operation's root, each of which takes at least one statement. */
  readonly rootFields: number;
}

/** GraphiQL's introspection query has 15 levels and 60 fields with its fragments expanded. */
export const DEFAULT_LIMITS: DocumentLimits = Object.freeze({
  characters: 1_000_000,
  tokens: 10_000,
  nesting: 100,
  sameName: 500,
  aliases: 500,
  spreads: 300,
  directives: 200,
  depth: 20,
  fields: 5_000,
  rootFields: 50,
});

function refusal(what: string, limit: number): GraphQLError {
  return new GraphQLError(`The document has more than ${limit} ${what}, which is the limit`);
}

/**
 * Returns the error for the first limit that `text` exceeds. Undefined when it exceeds none, or is not GraphQL: the
 * parser has a better error.
 * Cost: one pass over at most `limits.tokens` tokens.
 */
export function measureText(text: string, limits: DocumentLimits): GraphQLError | undefined {
  if (text.length > limits.characters) return refusal('characters outside of variables', limits.characters);
  const lexer = new Lexer(new Source(text));
  const uses = new Map<string, number>();
  let tokens = 0;
  let nesting = 0;
  let parentheses = 0;
  let aliases = 0;
  let directives = 0;
  let spreads = 0;
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      if (++tokens > limits.tokens) return refusal('words', limits.tokens);
      switch (token.kind) {
        case TokenKind.BRACE_L:
        case TokenKind.BRACKET_L:
          if (++nesting > limits.nesting) return refusal('nested levels', limits.nesting);
          break;
        case TokenKind.BRACE_R:
        case TokenKind.BRACKET_R:
          nesting--;
          break;
        case TokenKind.PAREN_L:
          parentheses++;
          break;
        case TokenKind.PAREN_R:
          parentheses--;
          break;
        case TokenKind.COLON:
          if (parentheses === 0 && ++aliases > limits.aliases) return refusal('aliases', limits.aliases);
          break;
        case TokenKind.AT:
          if (++directives > limits.directives) return refusal('directives', limits.directives);
          break;
        case TokenKind.SPREAD:
          if (++spreads > limits.spreads) return refusal('uses of fragments', limits.spreads);
          break;
        case TokenKind.NAME: {
          if (parentheses > 0) break;
          const count = (uses.get(token.value) ?? 0) + 1;
          if (count > limits.sameName)
            return refusal(`uses of the name '${token.value.slice(0, 64)}'`, limits.sameName);
          uses.set(token.value, count);
          break;
        }
        default:
          break;
      }
    }
    // graphql compares the fields of fragments with each other before it runs `limitRule`.
    return spreads > FEW_SPREADS ? measureFragments(text, limits) : undefined;
  } catch {
    return undefined;
  }
}

const FEW_SPREADS = 20;

function measureFragments(text: string, limits: DocumentLimits): GraphQLError | undefined {
  const document = parse(text, { noLocation: true, maxTokens: limits.tokens });
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const refused = exceeded(measureOperation(document, definition), limits);
    if (refused) return refused;
  }
  return undefined;
}

interface Extent {
  readonly depth: number;
  readonly fields: number;
  /** Fields of the first level. */
  readonly roots: number;
}

/**
 * Returns the depth and the numbers of fields with fragments expanded. Each fragment is measured once, so that
 * fragments which multiply each other take no time. A cycle counts as nothing, since graphql's own rule refuses it.
 */
function measureOperation(document: DocumentNode, operation: OperationDefinitionNode): Extent {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measured = new Map<string, Extent>();
  const nothing: Extent = { depth: 0, fields: 0, roots: 0 };

  function measure(set: SelectionSetNode): Extent {
    let depth = 0;
    let fields = 0;
    let roots = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const below = selection.selectionSet ? measure(selection.selectionSet) : nothing;
        depth = Math.max(depth, below.depth + 1);
        fields += below.fields + 1;
        roots += 1;
        continue;
      }
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT
          ? measure(selection.selectionSet)
          : spread(selection.name.value);
      depth = Math.max(depth, inner.depth);
      fields += inner.fields;
      roots += inner.roots;
    }
    return { depth, fields, roots };
  }
  function spread(name: string): Extent {
    const cached = measured.get(name);
    if (cached) return cached;
    const fragment = fragments.get(name);
    if (!fragment) return nothing;
    measured.set(name, nothing);
    const extent = measure(fragment.selectionSet);
    measured.set(name, extent);
    return extent;
  }
  return measure(operation.selectionSet);
}

function exceeded({ depth, fields, roots }: Extent, limits: DocumentLimits): GraphQLError | undefined {
  if (depth > limits.depth) return refusal('levels of fields', limits.depth);
  if (fields > limits.fields) return refusal('fields', limits.fields);
  return roots > limits.rootFields ? refusal('fields at its root', limits.rootFields) : undefined;
}

/** Returns a validation rule that refuses operations with too many levels, fields or root fields. */
export function limitRule(limits: DocumentLimits): (context: ValidationContext) => ASTVisitor {
  return (context) => ({
    OperationDefinition(operation) {
      const refused = exceeded(measureOperation(context.getDocument(), operation), limits);
      if (refused) context.reportError(refused);
    },
  });
}
