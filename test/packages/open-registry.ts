/** A package registry on this machine, as npm's and FHIR's answer. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

export interface Registry {
  readonly address: string;
  /** True: its files are not those that it names. */
  isDamaged: boolean;
  /** Members that it sends instead of its own: of the list of a package, of a version in it, and of the file of one. */
  instead: {
    readonly list?: object;
    readonly version?: object;
    readonly dist?: object;
  };
  /** Texts that it sends instead of the list of a package, by its name. */
  readonly texts: Map<string, string>;
  /** The paths of all requests. */
  readonly requested: string[];
  publish(name: string, version: string, file: string): Promise<void>;
  close(): Promise<void>;
}

export async function openRegistry(): Promise<Registry> {
  /** Files by the name and version of their package. */
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    registry.requested.push(request.url ?? '');
    const [, name = '', version] = decodeURIComponent(request.url ?? '').split('/');
    const bytes = files.get(`${name}#${version ?? ''}`);
    if (version !== undefined && bytes !== undefined) {
      response.end(registry.isDamaged ? Buffer.concat([bytes, Buffer.from('x')]) : bytes);
      return;
    }
    const text = registry.texts.get(name);
    if (text !== undefined) {
      response.end(text);
      return;
    }
    const versions = [...files].filter(([key]) => key.startsWith(`${name}#`));
    response.statusCode = versions.length === 0 ? 404 : 200;
    const listed = versions.map(([key, content]) => {
      const each = key.slice(name.length + 1);
      const shasum = createHash('sha1').update(content).digest('hex');
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const tarball = `${registry.address}/${name}/${each}`;
      const dist = { tarball, shasum, integrity, ...registry.instead.dist };
      return [each, { name, version: each, dist, ...registry.instead.version }] as const;
    });
    const latest = listed.at(-1)?.[0];
    response.setHeader('content-type', 'application/json');
    const list = { name, 'dist-tags': { latest }, versions: Object.fromEntries(listed) };
    response.end(JSON.stringify({ ...list, ...registry.instead.list }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const registry: Registry = {
    address: `http://127.0.0.1:${port}`,
    isDamaged: false,
    instead: {},
    texts: new Map(),
    requested: [],
    async publish(name, version, file) {
      files.set(`${name}#${version}`, await readFile(file));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return registry;
}
