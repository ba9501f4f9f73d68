/** One address of administration, as the table of administration describes it (routes.ts). */
import type { TObject, TSchema } from '@sinclair/typebox';

/**
 * Who may use an address: the operator (an administrator of the tenant `system`) alone; administrators of the tenant too,
 * at the address of their tenant (mounts.ts); or everybody, because it has no data.
 */
export type Who = 'operator' | 'administrators' | 'everybody';

export interface AdministrationRoute {
  /** Method and path: `GET /tenants/{tenant}`. */
  readonly address: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  readonly tag: string;
  readonly who: Who;
  readonly summary: string;
  /** The parameters of the query. */
  readonly query?: TObject;
  /** Names of headers (openapi.ts). */
  readonly headers?: readonly ('If-Match' | 'If-None-Match')[];
  /** A body that is JSON. */
  readonly body?: TObject;
  readonly example?: object;
  readonly isBodyOptional?: true;
  /** Limit on the bytes of a JSON body. */
  readonly longestBody?: number;
  /** True: the handler gets the object of the body, which core checks, because it names the place of each error. */
  readonly isCheckedByCore?: true;
  /** Content type of a body that is no JSON; the handler reads it. */
  readonly file?: string;
  /** By status. One without a schema is sent by the handler; `type` is its content type, by default JSON. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly schema?: TSchema; readonly type?: string }>
  >;
  /** Errors by status, besides those of all addresses. */
  readonly errors?: Readonly<Record<number, string>>;
}
export type Routes = Readonly<Record<string, AdministrationRoute>>;
