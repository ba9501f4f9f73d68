import { type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { compileOperation, type CompiledOperation } from './compile';

type Compiled = CompiledOperation | readonly GraphQLError[];

/**
 * The compiled operations of the documents that are in memory: a document takes them with it when it is forgotten. One
 * for each schema.
 */
export class OperationCache {
  private readonly documents = new WeakMap<DocumentNode, Map<string | undefined, Compiled>>();

  constructor(private readonly schema: GraphQLSchema) {}

  /** As `compileOperation`; names that the document does not have are not remembered. */
  find(document: DocumentNode, operationName: string | null | undefined): Compiled {
    const name = operationName ?? undefined;
    const known = this.documents.get(document);
    const compiled = known?.get(name) ?? compileOperation(this.schema, document, name);
    if (!('run' in compiled)) return compiled;
    if (known) known.set(name, compiled);
    else this.documents.set(document, new Map([[name, compiled]]));
    return compiled;
  }
}
