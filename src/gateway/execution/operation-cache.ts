import { type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { compileOperation, type CompiledOperation } from './compile';

type Compiled = CompiledOperation | readonly GraphQLError[];

/** Caches the compiled operations of one schema by document. An entry lives as long as its document. */
export class OperationCache {
  private readonly documents = new WeakMap<DocumentNode, Map<string | undefined, Compiled>>();

  constructor(private readonly schema: GraphQLSchema) {}

  /** Compiles an operation like `compileOperation`, or returns it from the cache. Errors are not cached. */
  find(document: DocumentNode, operationName: string | null | undefined): Compiled {
    const name = operationName ?? undefined;
    const cached = this.documents.get(document);
    const compiled = cached?.get(name) ?? compileOperation(this.schema, document, name);
    if (!('run' in compiled)) return compiled;
    if (cached) cached.set(name, compiled);
    else this.documents.set(document, new Map([[name, compiled]]));
    return compiled;
  }
}
