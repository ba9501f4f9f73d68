/** Large content in the import of a tenant: its lines come before that of the version that has it. */
import { CONTENT_ADDRESS_EXTENSION } from '../../../packages/fhir-values/server-meta';
import type { WrittenContent } from '../api/resource-input';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { apartContentOf, withApartContent, type ApartContent } from '../fhir/apart-content';
import { isSubsetted } from '../fhir/subset';
import type { Contents } from '../content/contents';

interface Open {
  readonly name: string;
  chunks: number;
  push(piece: Buffer): Promise<void>;
  end(): Promise<WrittenContent>;
}

/** A content whose version was not imported yet. */
export interface ImportedContent extends WrittenContent {
  readonly name: string;
}

export class ImportedContents {
  private open: Open | undefined;

  constructor(
    private readonly contents: Pick<Contents, 'write'>,
    private readonly extensionBase: string,
  ) {}

  /** Takes a line with a chunk. Returns what is wrong with it. */
  async add(space: number, { content: name, chunk, data }: JsonObject): Promise<string | undefined> {
    if (typeof name !== 'string' || typeof data !== 'string') return 'it names no content or has no data';
    if (this.open !== undefined && this.open.name !== name)
      return 'the version of the content before is missing';
    this.open ??= startWriting(this.contents, space, name);
    if (chunk !== this.open.chunks) return 'its chunk does not follow the one before';
    this.open.chunks += 1;
    await this.open.push(Buffer.from(data, 'base64'));
    return undefined;
  }

  /** Returns the content that belongs to the version after it; undefined: there is none. Throws `wrong` where it is of another. */
  async take(name: string, wrong: (reason: string) => never): Promise<ImportedContent | undefined> {
    const { open } = this;
    if (open === undefined) return undefined;
    this.open = undefined;
    const written = await open.end();
    if (open.name === name) return { ...written, name };
    await written.drop();
    return wrong('it is not the version of the content before');
  }

  /**
   * Returns a resource that has the extensions of this server for its content, or for that of an earlier version. `address`: of its
   * version. Returns what is wrong where its size differs, or where it has no content and says that it has.
   */
  fit(resource: JsonObject, content: ImportedContent | undefined, address: string): JsonObject | string {
    const stated = statedIn(resource);
    if (content === undefined && stated === undefined) return resource;
    if (content === undefined && stated?.version === undefined) return 'its content is missing';
    if (content !== undefined && (stated?.size !== content.size || stated.version !== undefined))
      return 'its content has another size';
    return withApartContent(resource, { address, size: 0, ...stated }, this.extensionBase);
  }

  /** Gives up a content whose version has not come. */
  async close(): Promise<void> {
    const { open } = this;
    this.open = undefined;
    await open?.end().then(
      (written) => written.drop(),
      () => undefined,
    );
  }
}

/** The earlier version that has the content of an imported one, and the size of that; undefined: its content is its own, or none. */
export function earlierContentOf(
  resource: JsonValue | undefined,
): { readonly version: number; readonly size: number } | undefined {
  const { version, size } = (resource !== undefined && statedIn(resource)) || { version: undefined, size: 0 };
  return version === undefined ? undefined : { version, size };
}

/** What the extensions state, whose urls may have the base of another server; undefined: its content is not stored apart. */
function statedIn(resource: JsonValue): Omit<ApartContent, 'address'> | undefined {
  // Clients cannot store this tag.
  if (!isSubsetted(resource)) return undefined;
  const data = isJsonObject(resource) ? resource['_data'] : undefined;
  const extensions = isJsonObject(data) && Array.isArray(data['extension']) ? data['extension'] : [];
  const [first] = extensions;
  const url = isJsonObject(first) ? first['url'] : undefined;
  const end = `/${CONTENT_ADDRESS_EXTENSION}`;
  if (typeof url !== 'string' || !url.endsWith(end)) return undefined;
  return apartContentOf(resource, url.slice(0, -end.length));
}

/** Writes a content from pieces that are pushed: each push resolves when the store asks for the next. */
function startWriting(contents: Pick<Contents, 'write'>, space: number, name: string): Open {
  let give: (piece: Buffer | undefined) => void = () => undefined;
  let asked: () => void = () => undefined;
  let failed: (error: unknown) => void = () => undefined;
  let isAsked = new Promise<void>((resolve, reject) => {
    asked = resolve;
    failed = reject;
  });
  isAsked.catch(() => undefined);
  const source = async function* (): AsyncGenerator<Buffer> {
    for (;;) {
      const given = new Promise<Buffer | undefined>((resolve) => {
        give = resolve;
      });
      asked();
      const piece = await given;
      if (piece === undefined) return;
      yield piece;
    }
  };
  const written = contents.write(space, source(), { limit: Infinity });
  written.catch((error: unknown) => failed(error));
  const push = async (piece: Buffer | undefined): Promise<void> => {
    await isAsked;
    isAsked = new Promise<void>((resolve, reject) => {
      asked = resolve;
      failed = reject;
    });
    isAsked.catch(() => undefined);
    give(piece);
  };
  return {
    name,
    chunks: 0,
    push,
    async end() {
      await push(undefined).catch(() => undefined);
      return written;
    },
  };
}
