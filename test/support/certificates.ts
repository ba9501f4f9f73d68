/** Certificate authorities that live as long as a test, made by `openssl`. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findOrInstall } from './programs';

/** PEM, both. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface Authority {
  /** The authority's own certificate, PEM: for clients that trust it. */
  readonly file: string;
  readonly text: string;
  /** A server certificate for `subject`, such as `DNS:localhost` or `IP:127.0.0.1`. */
  issue(subject: string): Promise<Certificate>;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Without the machine's own configuration, which differs from one system to the next. */
const REQUEST = `
[req]
distinguished_name = subject
prompt = no
[subject]
CN = made by a test
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
`;

/** Makes an authority with the files `name`.* in `folder`. Cost: some ten milliseconds, and as much per certificate. */
export async function createAuthority(folder: string, name: string): Promise<Authority> {
  const openssl = await findOrInstall('openssl', 'openssl');
  if (openssl === undefined) throw new Error('This test needs openssl on the PATH');
  const run = (...words: readonly string[]) => promisify(execFile)(openssl, words);
  const place = (file: string): string => path.join(folder, `${name}.${file}`);
  const [request, file, key] = [place('cnf'), place('crt'), place('key')];
  await writeFile(request, REQUEST);
  const own = ['-x509', '-extensions', 'authority', '-days', '2', '-keyout', key, '-out', file];
  await run('req', '-config', request, ...KEY, ...own);
  let issued = 0;
  return {
    file,
    text: await readFile(file, 'utf8'),
    async issue(subject) {
      issued += 1;
      const [keyFile, wanted, extensions, certificateFile] = [
        place(`${issued}.key`),
        place(`${issued}.csr`),
        place(`${issued}.ext`),
        place(`${issued}.crt`),
      ];
      await writeFile(extensions, `subjectAltName = ${subject}\n`);
      await run('req', '-config', request, ...KEY, '-keyout', keyFile, '-out', wanted);
      const signing = ['-CA', file, '-CAkey', key, '-set_serial', String(issued), '-days', '2'];
      await run('x509', '-req', '-in', wanted, ...signing, '-extfile', extensions, '-out', certificateFile);
      return { certificateFile, keyFile };
    },
  };
}
