/** Debian's nginx in front of several servers, with its default settings. */
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { findServiceUser } from '../../src/embedded/service-user';
import { eventually } from './eventually';
import { closedAtEnd } from './left-open';
import { findOrInstall } from './programs';

const START_TIMEOUT_MS = 20_000;

export interface Nginx {
  readonly base: string;
  close(): Promise<void>;
}

/** Starts it; `ports` are those of the servers on this machine. */
export async function startNginx(ports: readonly number[]): Promise<Nginx> {
  const program = await findOrInstall('nginx', 'nginx');
  if (program === undefined) throw new Error('This test needs nginx: apt-get install nginx');
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-nginx-'));
  const port = await findFreePort();
  const configuration = path.join(folder, 'nginx.conf');
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    configuration,
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors;
     events {}
     http {
       access_log off; ${kept.join(' ')}
       upstream servers { ${ports.map((one) => `server 127.0.0.1:${one};`).join(' ')} }
       server {
         listen 127.0.0.1:${port};
         location / { proxy_pass http://servers; proxy_set_header Host $http_host; }
       }
     }`,
  );
  const account = await findServiceUser();
  if (account !== undefined)
    await Promise.all([folder, configuration].map((file) => chown(file, account.uid, account.gid)));
  const child = await startChild(program, ['-c', configuration, '-e', path.join(folder, 'errors')], {
    cwd: folder,
    ...account,
    stdio: 'ignore',
    lastSignal: 'SIGTERM',
    lastFolder: folder,
  });
  const base = `http://127.0.0.1:${port}`;
  const close = closedAtEnd(async () => {
    await child.stop('SIGTERM', 5_000);
    await rm(folder, { recursive: true, force: true });
  });
  const answers = (): Promise<boolean> =>
    fetch(`${base}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await eventually(async () => !child.isRunning() || (await answers()), START_TIMEOUT_MS);
    if (!child.isRunning()) throw new Error('nginx ended');
  } catch (error) {
    await close();
    throw error;
  }
  return { base, close };
}
